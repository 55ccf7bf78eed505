package infer

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"crossswe/build/internal/detect"
	"crossswe/build/internal/link"
	"crossswe/build/internal/recipe"
	"crossswe/schemas"
)

// java adds the Java side of the spec, if there is one.
func (b *inference) java() error {
	if err := b.gradle(); err != nil {
		return err
	}
	wanted, from, ok := detect.ChooseJava(b.repos, b.at())
	if !ok || b.spec.Base != "" && !b.javaMatters() {
		return nil
	}
	actual := b.jdk(wanted, from)
	options := make([][]string, len(b.repos))
	for i, r := range b.repos {
		options[i] = detect.JavaOptions(slices.Concat(detect.MavenModules(r.Base), detect.MavenModules(r.Head)), wanted, actual)
		if len(options[i]) > 0 {
			b.guess(fmt.Sprintf("repos[%s] options of Maven", r.Name), "%s: JDK %d builds as %d would", strings.Join(options[i], " "), actual, wanted)
		}
	}
	plan := link.PlanMaven(b.repos, options)
	b.adopt(plan.Plan)
	for i, r := range b.repos {
		b.spec.Repos[i].Rebuild = append(b.spec.Repos[i].Rebuild, plan.Rebuild[i]...)
		b.mavenTargets(i, r, options[i])
	}
	return nil
}

// javaMatters reports whether a POM of a repository with another ecosystem is
// part of the change.
func (b *inference) javaMatters() bool {
	return slices.ContainsFunc(b.repos, func(r detect.Repo) bool { return len(detect.MavenTargets(r)) > 0 }) ||
		len(link.PlanMaven(b.repos, make([][]string, len(b.repos))).Links) > 0
}

var jvmFile = regexp.MustCompile(`\.(?:java|kt|kts|groovy|scala)$`)

// gradle refuses what only Gradle builds: its distributions are not at hand in
// an image build, and its wrapper downloads one.
func (b *inference) gradle() error {
	for _, r := range b.repos {
		file, ok := detect.Gradle(r.Head)
		touched := slices.ContainsFunc(r.Files, func(f schemas.File) bool { return jvmFile.MatchString(f.Path) })
		if ok && touched {
			return &Refusal{schemas.BuildUnsupported, fmt.Sprintf("%s is built with Gradle (%s), which is not supported: write a spec by hand", r.Name, file)}
		}
	}
	return nil
}

var trailingMajor = regexp.MustCompile(`(\d+)[^:/]*$`)

// jdk puts the image of Maven and a JDK in as the base, and returns the JDK's
// major: another than the wanted one when the configuration names one for all.
func (b *inference) jdk(wanted int, from string) int {
	image, actual := strings.ReplaceAll(b.opt.Images.Java, "%s", strconv.Itoa(wanted)), wanted
	if image == b.opt.Images.Java {
		if m := trailingMajor.FindStringSubmatch(image[strings.LastIndex(image, "-")+1:]); m != nil {
			actual, _ = strconv.Atoi(m[1])
		}
		from = fmt.Sprintf("the JDK of build.java_image; wanted was %d, the %s", wanted, from)
	}
	tool := schemas.Toolchain{Name: "java", Version: strconv.Itoa(actual)}
	if b.spec.Base == "" {
		b.spec.Base = schemas.ImageRef(image)
		b.spec.Packages = append(b.spec.Packages, "ca-certificates", "git")
		b.guess("base", "build.java_image of the configuration")
		b.guess("packages", "git is not in every such image")
	} else {
		tool.Image = schemas.ImageRef(image)
	}
	b.spec.Toolchains = append(b.spec.Toolchains, tool)
	b.guess("toolchains[java].version", "%s", from)
	return actual
}

func (b *inference) mavenTargets(i int, r detect.Repo, options []string) {
	mods := detect.MavenModules(r.Head)
	for n, t := range detect.MavenTargets(r) {
		name := t.Module.Dir
		if name == "" {
			name = t.Module.Artifact
		}
		target := schemas.Target{Name: name, Runner: schemas.RunnerSurefire, Files: t.Files,
			Report: path.Join(recipe.ReportsDir, fmt.Sprintf("%s-maven-%d.xml", r.Dir, n+1))}
		target.Command = link.MavenTest(mods, t, target.Report, options)
		b.spec.Repos[i].Targets = append(b.spec.Repos[i].Targets, target)
		b.guess(fmt.Sprintf("repos[%s].targets[%s]", r.Name, name), "the touched test classes of the module: %s", strings.Join(t.Classes, ", "))
	}
}
