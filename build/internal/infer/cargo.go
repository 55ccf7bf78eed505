package infer

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"crossswe/build/internal/detect"
	"crossswe/build/internal/link"
	"crossswe/schemas"
)

func (b *inference) hasCargo() bool {
	return slices.ContainsFunc(b.repos, func(r detect.Repo) bool { return len(detect.CargoPackages(r.Head)) > 0 })
}

// cargoMatters reports whether a link or a target needs Rust.
func (b *inference) cargoMatters() bool {
	plan, err := link.PlanCargo(b.repos)
	return err == nil && (len(plan.Links) > 0 || slices.ContainsFunc(plan.Targets, func(t []detect.CargoTarget) bool { return len(t) > 0 }))
}

// cargo adds the Rust side of the spec.
func (b *inference) cargo() error {
	plan, err := link.PlanCargo(b.repos)
	if err != nil {
		return err
	}
	version, from, _ := detect.ChooseRust(b.repos, b.at())
	b.rust(version, from)
	b.adopt(plan.Plan)
	for i, r := range b.repos {
		b.spec.Repos[i].Rebuild = append(b.spec.Repos[i].Rebuild, plan.Rebuild[i]...)
		for _, t := range plan.Targets[i] {
			b.spec.Repos[i].Targets = append(b.spec.Repos[i].Targets, cargoTarget(t))
			b.guess(fmt.Sprintf("repos[%s].targets[%s]", r.Name, t.Root), "%d changed test files, the first %s; %s", len(t.Files), t.Files[0], t.From)
		}
	}
	return nil
}

var imageVersion = regexp.MustCompile(`:(\d+(?:\.\d+)+)`)

// rust puts the compiler in: as the base, or copied onto another one.
func (b *inference) rust(version, from string) {
	image := b.opt.Images.Rust
	if strings.Contains(image, "%s") {
		image = strings.ReplaceAll(image, "%s", version)
	} else if m := imageVersion.FindStringSubmatch(image); m != nil {
		version, from = m[1], "build.rust_image of the configuration, instead of "+version+" ("+from+")"
	}
	tool := schemas.Toolchain{Name: "rust", Version: version}
	if b.spec.Base == "" {
		b.spec.Base = schemas.ImageRef(image)
		b.guess("base", "build.rust_image of the configuration")
	} else {
		tool.Image = schemas.ImageRef(image)
		b.spec.Packages = append(b.spec.Packages, "gcc", "libc6-dev")
	}
	b.spec.Toolchains = append(b.spec.Toolchains, tool)
	b.guess("toolchains[rust].version", "%s", from)
	if extra := detect.CargoDebian(b.repos); len(extra) > 0 {
		b.spec.Packages = append(b.spec.Packages, extra...)
		b.guess("packages", "what crates of the lock files compile or look for")
	}
}

// cargoTarget calls cargo once for one target: one that does not compile must
// not stop the others.
func cargoTarget(t detect.CargoTarget) schemas.Target {
	run := []string{"cargo", "test", "--message-format=json"}
	switch t.Kind {
	case "lib":
		run = append(run, "--lib")
	default:
		run = append(run, "--"+t.Kind, t.Name)
	}
	run = append(append(run, t.Features...), "--", "-Zunstable-options", "--format=json")
	return schemas.Target{Name: t.Root, Runner: schemas.RunnerCargo, Files: t.Files, Command: schemas.Command{Dir: t.Package.Dir, Run: run}}
}
