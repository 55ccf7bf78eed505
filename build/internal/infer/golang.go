package infer

import (
	"fmt"
	"slices"

	"crossswe/build/internal/detect"
	"crossswe/build/internal/link"
	"crossswe/schemas"
)

// goTestTimeout is the watchdog of go test itself: below the stage's default
// limit of ten minutes, so that a test that hangs is named by its own dump.
const goTestTimeout = "9m"

func (b *inference) hasGo() bool {
	_, ok := detect.ChooseGo(b.repos, b.at())
	return ok
}

func (b *inference) goMatters() bool {
	tool, _ := detect.ChooseGo(b.repos, b.at())
	return len(link.PlanGo(b.repos).Links) > 0 ||
		slices.ContainsFunc(b.repos, func(r detect.Repo) bool { return len(detect.GoTargets(r, tool.Version)) > 0 })
}

// golang adds the Go side of the spec, if there is one.
func (b *inference) golang() error {
	tool, ok := detect.ChooseGo(b.repos, b.at())
	if !ok {
		return nil
	}
	b.spec.Base = schemas.ImageRef(b.opt.Images.Go)
	b.spec.Toolchains = append(b.spec.Toolchains, schemas.Toolchain{Name: "go", Version: tool.Version})
	b.guess("base", "build.go_image of the configuration")
	b.guess("toolchains[go].version", "%s", tool.From)
	b.adopt(link.PlanGo(b.repos))
	b.spec.Env = append(b.spec.Env, "GOPROXY=off")
	for i, r := range b.repos {
		for _, t := range detect.GoTargets(r, tool.Version) {
			b.spec.Repos[i].Targets = append(b.spec.Repos[i].Targets, goTarget(t))
			b.guess(fmt.Sprintf("repos[%s].targets[%s]", r.Name, t.ImportPath()),
				"the whole package of %d changed test files, the first %s", len(t.Files), t.Files[0])
		}
	}
	return nil
}

// goTarget leaves vet out: its findings are no tests.
func goTarget(t detect.GoTarget) schemas.Target {
	return schemas.Target{
		Name:   t.ImportPath(),
		Runner: schemas.RunnerGo,
		Command: schemas.Command{
			Dir: t.Module.Dir,
			Run: []string{"go", "test", "-json", "-count=1", "-vet=off", "-timeout=" + goTestTimeout, t.Pattern()},
		},
		Files: t.Files,
	}
}
