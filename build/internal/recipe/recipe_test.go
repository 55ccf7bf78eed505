package recipe

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crossswe/build/internal/link"
	"crossswe/internal/golden"
	"crossswe/schemas"
)

func goSpec() schemas.Spec {
	return schemas.Spec{
		Candidate:  "a-1_b-2-0123456789",
		Base:       "golang:1.26-bookworm",
		Toolchains: []schemas.Toolchain{{Name: "go", Version: "1.25.8"}},
		History:    schemas.HistoryPast,
		Env:        []string{"GOWORK=/testbed/go.work", "GOPROXY=off"},
		Files:      []schemas.SpecFile{{Path: link.GoWorkFile, Content: "go 1.25\n"}},
		Repos: []schemas.RepoSpec{
			{Repo: "x/a", Dir: "a", Base: "1111111111111111111111111111111111111111"},
			{Repo: "x/b", Dir: "b", Base: "2222222222222222222222222222222222222222", Targets: []schemas.Target{{
				Name: "x/b", Runner: schemas.RunnerGo,
				Command: schemas.Command{Dir: "sub", Env: []string{"CGO_ENABLED=0"}, Run: []string{"go", "test", "-json", "-count=1", "./"}},
			}}},
		},
	}
}

func npmSpec() schemas.Spec {
	return schemas.Spec{
		Base:       "node:24-bookworm-slim",
		Toolchains: []schemas.Toolchain{{Name: "node", Version: "24"}},
		Packages:   []string{"ca-certificates", "git"},
		History:    schemas.HistoryPast,
		Repos: []schemas.RepoSpec{
			{Repo: "x/a", Dir: "a", Setup: []schemas.Command{{Run: []string{"npm", "install"}}},
				Rebuild: []schemas.Command{{Dir: "packages/p", Run: []string{"npm", "run", "build"}}}},
			{Repo: "x/b", Dir: "b", Setup: []schemas.Command{{Dir: `odd "$dir" <&>`, Run: []string{"npm", "install"}, Env: []string{"A=b c"}}},
				Targets: []schemas.Target{{Runner: schemas.RunnerMocha, Report: "/var/else where/r.json"}}},
		},
		Links: []schemas.LinkSpec{{Ecosystem: link.NPM, Consumer: "x/b", Provider: "x/a", Make: []schemas.Command{{Run: []string{"ln", "-s", "/testbed/a", "node_modules/a"}}}}},
	}
}

func pythonSpec() schemas.Spec {
	return schemas.Spec{
		Base:       "python:3.12-bookworm",
		Toolchains: []schemas.Toolchain{{Name: "python", Version: "3.12"}},
		History:    schemas.HistoryPast,
		Repos: []schemas.RepoSpec{
			{Repo: "x/a", Dir: "a", Setup: []schemas.Command{
				{Run: []string{"python3", link.PythonInstall, "environment", "--local", "a @ file:///testbed/a"}, Env: []string{"SETUPTOOLS_SCM_PRETEND_VERSION_FOR_A=1.2"}},
				{Run: []string{"pip", "install", "by-hand"}},
			}},
			{Repo: "x/b", Dir: "b", Setup: []schemas.Command{{Run: []string{"python3", link.PythonInstall, "backend", "--into", "/opt/pybuild/b", "--product", "setuptools"}}},
				Rebuild: []schemas.Command{{Run: []string{"/opt/venv/bin/pip", "install", "--editable", "/testbed/b"}}}},
		},
		Links: []schemas.LinkSpec{{Ecosystem: link.Python, Consumer: "x/b", Provider: "x/a",
			Make: []schemas.Command{{Run: []string{"/opt/venv/bin/pip", "install", "--editable", "/testbed/a"}, Env: []string{"PYTHONPATH=/opt/pybuild/a"}}}}},
	}
}

func cargoSpec() schemas.Spec {
	return schemas.Spec{
		Base:       "rust:1.86-bookworm",
		Toolchains: []schemas.Toolchain{{Name: "rust", Version: "1.86"}},
		History:    schemas.HistoryPast,
		Files:      []schemas.SpecFile{{Path: link.CargoConfigFile, Content: "[patch]\n"}, {Path: link.CargoPlanFile, Content: "{}\n"}},
		Repos: []schemas.RepoSpec{
			{Repo: "x/a", Dir: "a"},
			{Repo: "x/b", Dir: "b", Rebuild: []schemas.Command{{Run: []string{link.CargoProgram, "link", "-repo", "b"}}},
				Targets: []schemas.Target{
					{Name: "src/lib.rs", Runner: schemas.RunnerCargo, Command: schemas.Command{Run: []string{"cargo", "test", "--message-format=json", "--lib", "--", "--format=json"}}},
					{Name: "doc", Runner: schemas.RunnerCargo, Command: schemas.Command{Run: []string{"cargo", "test", "--message-format=json", "--doc"}}},
				}},
		},
		Links: []schemas.LinkSpec{{Ecosystem: link.Cargo, Consumer: "x/b", Provider: "x/a", Make: []schemas.Command{{Run: []string{link.CargoProgram, "link", "-repo", "b"}}}}},
	}
}

// threeSpec has three ecosystems on Go's base: every setup command runs where
// its own tools are.
func threeSpec() schemas.Spec {
	s, p := mixedSpec(), pythonSpec()
	s.Toolchains = append(s.Toolchains, schemas.Toolchain{Name: "python", Version: "3.12", Image: "python:3.12-bookworm"})
	s.Repos[1].Setup = p.Repos[0].Setup[:1]
	return s
}

func mixedSpec() schemas.Spec {
	s := npmSpec()
	g := goSpec()
	g.Toolchains = append(g.Toolchains, schemas.Toolchain{Name: "node", Version: "22", Image: "node:22-bookworm-slim"})
	g.Repos[0].Setup, g.Links = s.Repos[0].Setup, s.Links
	return g
}

// cmakeSpec has content to fetch, a provider that is installed, and a target.
func cmakeSpec() schemas.Spec {
	s := npmSpec()
	s.Base, s.Toolchains, s.Packages = "debian:bookworm-slim", []schemas.Toolchain{{Name: "cmake", Version: "3.25"}}, []string{"cmake", "g++"}
	s.Files = []schemas.SpecFile{{Path: link.CMakeScript, Content: "#!/bin/sh"}}
	s.Repos = []schemas.RepoSpec{
		{Repo: "x/a", Dir: "a", Rebuild: []schemas.Command{{Run: []string{"sh", link.CMakeScript, "provide", "/b/a", "/p/a"}}}},
		{Repo: "x/b", Dir: "b",
			Setup:   []schemas.Command{{Run: []string{"cmake", "-DNAME=json", "-DARGS=URL;https://example.com/j.zip", "-P", link.CMakeFetch}}},
			Rebuild: []schemas.Command{{Run: []string{"sh", link.CMakeScript, "configure", "/b/b", "-DCMAKE_PREFIX_PATH=/p/a;/p/c"}}},
			Targets: []schemas.Target{{Name: "t", Runner: schemas.RunnerCTest, Report: "/r/b", Command: schemas.Command{Run: []string{"sh", link.CMakeScript, "test", "/b/b", "/r/b", "t"}}}}},
	}
	s.Links = nil
	return s
}

func TestDockerfiles(t *testing.T) {
	pins := map[schemas.ImageRef]string{"golang:1.26-bookworm": "golang@sha256:" + strings.Repeat("a", 64), "node:24-bookworm-slim": "sha256:" + strings.Repeat("b", 64)}
	for name, spec := range map[string]schemas.Spec{"go": goSpec(), "npm": npmSpec(), "mixed": mixedSpec(), "python": pythonSpec(), "cargo": cargoSpec(), "cmake": cmakeSpec(), "three": threeSpec()} {
		t.Run(name, func(t *testing.T) {
			p, err := New(spec, Options{Pins: pins, Args: []string{"GOPROXY", "npm_config_registry"}})
			if err != nil {
				t.Fatal(err)
			}
			golden.Check(t, name+".Dockerfile", string(p.Dockerfile))
		})
	}
}

// The classic builder writes the values of declared arguments into the
// history, so no stage that the image stands on may declare any.
func TestArgumentsStayInFetchStages(t *testing.T) {
	p, err := New(mixedSpec(), Options{Args: []string{"SECRET"}})
	if err != nil {
		t.Fatal(err)
	}
	stage, declared := "", map[string]bool{}
	for _, s := range p.Steps {
		if after, ok := strings.CutPrefix(s.Text, "FROM "); ok {
			_, stage, _ = strings.Cut(after, " AS ")
		}
		if strings.HasPrefix(s.Text, "ARG ") {
			declared[stage] = true
		}
	}
	want := map[string]bool{"go-toolchain": true, npmStage: true, goStage: true}
	if diff := cmp.Diff(want, declared); diff != "" {
		t.Errorf("stages with arguments (-want +got):\n%s", diff)
	}
}

func TestReasons(t *testing.T) {
	p, err := New(npmSpec(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for prefix, want := range map[string]schemas.BuildReason{
		"FROM node":                         schemas.BuildNoBaseImage,
		`RUN ["sh","-c","apt-get update`:    schemas.BuildDependency,
		`RUN ["env","-C","/testbed/a","npm`: schemas.BuildDependency,
		`RUN ["env","-C","/testbed/b","ln`:  schemas.BuildLinkVoid,
		`RUN ["env","-C","/testbed/a/pack`:  schemas.BuildStep,
	} {
		found := false
		for i, s := range p.Steps {
			if strings.HasPrefix(s.Text, prefix) {
				found = true
				if got := p.Reason(i + 1); got != want {
					t.Errorf("%s: got %s, want %s", s.Text, got, want)
				}
			}
		}
		if !found {
			t.Errorf("no step begins with %s in\n%s", prefix, p.Dockerfile)
		}
	}
	if p.Reason(0) != schemas.BuildStep || p.Reason(1000) != schemas.BuildStep {
		t.Error("a step that is none has no reason")
	}
}

func TestRefusals(t *testing.T) {
	for name, edit := range map[string]func(*schemas.Spec){
		"a variable without a value":  func(s *schemas.Spec) { s.Env = []string{"GOPROXY"} },
		"a variable's name":           func(s *schemas.Spec) { s.Env = []string{"A B=c"} },
		"a line break in a variable":  func(s *schemas.Spec) { s.Env = []string{"A=b\nRUN evil"} },
		"a line break in a base":      func(s *schemas.Spec) { s.Base = "x\nRUN evil" },
		"a line break in a version":   func(s *schemas.Spec) { s.Toolchains[0].Version = "1\nRUN evil" },
		"a line break in a report":    func(s *schemas.Spec) { s.Repos[1].Targets[0].Report = "/a\nb/r" },
		"a toolchain nobody knows of": func(s *schemas.Spec) { s.Toolchains = []schemas.Toolchain{{Name: "cobol", Version: "85"}} },
	} {
		t.Run(name, func(t *testing.T) {
			spec := goSpec()
			edit(&spec)
			if p, err := New(spec, Options{}); err == nil {
				t.Errorf("no error, but\n%s", p.Dockerfile)
			}
		})
	}
}

// What a command holds never becomes an instruction or a shell's word.
func FuzzCommand(f *testing.F) {
	f.Add("npm", "install\nRUN evil", `"],"`, "$HOME")
	f.Fuzz(func(t *testing.T, a, b, dir, value string) {
		s := npmSpec()
		s.Repos[0].Setup = []schemas.Command{{Dir: dir, Run: []string{a, b}}}
		s.Env = []string{"X=" + value}
		p, err := New(s, Options{})
		if err != nil {
			return
		}
		plain, err := New(npmSpec(), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := len(p.Steps), len(plain.Steps)+1; got != want {
			t.Errorf("%d steps, want %d:\n%s", got, want, p.Dockerfile)
		}
		for line := range strings.Lines(string(p.Dockerfile)) {
			word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
			switch word {
			case "", "#", "FROM", "RUN", "ADD", "COPY", "ENV", "WORKDIR", "CMD":
			default:
				t.Errorf("an instruction %q in\n%s", word, p.Dockerfile)
			}
		}
	})
}
