package recipe

import (
	"testing"

	"crossswe/build/internal/link"
	"crossswe/internal/golden"
	"crossswe/schemas"
)

func mavenSpec() schemas.Spec {
	test := func(report, module, classes string) schemas.Target {
		return schemas.Target{Name: module, Runner: schemas.RunnerSurefire, Report: report,
			Command: schemas.Command{Run: []string{"sh", link.MavenHome + "/test.sh", report, module, classes}}}
	}
	return schemas.Spec{
		Base:       "maven:3-eclipse-temurin-17",
		Toolchains: []schemas.Toolchain{{Name: "java", Version: "17"}},
		Packages:   []string{"ca-certificates", "git"},
		History:    schemas.HistoryPast,
		Files:      []schemas.SpecFile{{Path: link.MavenSiblings, Content: "/testbed/b\tx.y\tb\n"}},
		Repos: []schemas.RepoSpec{
			{Repo: "x/a", Dir: "a", Rebuild: []schemas.Command{{Run: []string{"sh", link.MavenHome + "/provide.sh", ".", "it's"}}}},
			{Repo: "x/b", Dir: "b", Rebuild: []schemas.Command{{Dir: "sub", Run: []string{"sh", link.MavenHome + "/provide.sh", "."}}, {Run: []string{"make"}}},
				Targets: []schemas.Target{test(ReportsDir+"/b.xml", ".", "BTest")}},
		},
		Links: []schemas.LinkSpec{{Ecosystem: link.Maven, Consumer: "x/a", Provider: "x/b", Name: "x.y:b",
			Prove: schemas.Command{Run: []string{"sh", link.MavenHome + "/prove.sh", "/testbed/b", "x.y", "b", "."}}, Want: "/testbed/b"}},
	}
}

func TestMaven(t *testing.T) {
	p, err := New(mavenSpec(), Options{Args: []string{"MAVEN_SETTINGS"}})
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "maven.Dockerfile", string(p.Dockerfile))
	golden.Check(t, "maven.head", MavenState(mavenSpec(), map[string]bool{"a": true, "b": true}, true))
	golden.Check(t, "maven.mixture", MavenState(mavenSpec(), map[string]bool{"b": true}, false))
}

func TestJavaBesideAnother(t *testing.T) {
	s := goSpec()
	s.Toolchains = append(s.Toolchains, schemas.Toolchain{Name: "java", Version: "17", Image: "maven:3-eclipse-temurin-17"})
	p, err := New(s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "go-java.Dockerfile", string(p.Dockerfile))
}
