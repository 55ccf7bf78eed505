package recipe

import (
	_ "embed" // for the fetching script
	"path"
	"slices"
	"strings"

	"crossswe/build/internal/link"
	"crossswe/schemas"
)

// The places of the Maven fetch stage. MavenTrees holds <dir>, a repository's
// tree at head, and MavenStates one directory for every state, in order, with
// the script that goes through it.
const (
	MavenRoot   = "/deps/maven"
	MavenTrees  = MavenRoot + "/trees"
	MavenStates = MavenRoot + "/states"
	mavenStage  = "maven-artifacts"
	mavenOut    = "/var/lib/maven/"
)

// MavenFetchScript goes through the states with the network on, running what
// the image and verify run without it, and leaves a repository that holds none
// of the siblings. It is part of the build context.
//
//go:embed maven.sh
var MavenFetchScript string

// usesMaven reports whether the spec has files of Maven.
func (b *builder) usesMaven() bool {
	return slices.ContainsFunc(b.spec.Files, func(f schemas.SpecFile) bool { return f.Path == link.MavenSiblings })
}

// javaInstall copies the JDK and Maven from the official image, unless the base
// is that.
func (b *builder) javaInstall(t schemas.Toolchain) {
	if t.Image == "" {
		return
	}
	b.copyImage(t, "/opt/java/openjdk/", "/usr/share/maven/")
	b.env("JAVA_HOME=/opt/java/openjdk")
	b.step(schemas.BuildNoToolchain, "RUN ln -sf /usr/share/maven/bin/mvn /opt/java/openjdk/bin/* /usr/local/bin/ && mvn --version")
}

func (b *builder) mavenFetch() {
	b.comment("Maven artifacts of base and head, less the siblings; only the repository leaves this stage")
	b.from("base", mavenStage)
	b.args()
	b.addRepos()
	b.setup("java")
	b.exec(schemas.BuildStep, "COPY", FilesDir+"/", "/")
	b.exec(schemas.BuildStep, "COPY", path.Join(DepsDir, link.Maven)+"/", MavenRoot+"/")
	b.exec(schemas.BuildDependency, "RUN", "sh", MavenRoot+"/fetch.sh")
	b.fetches = append(b.fetches, fetch{name: link.Maven, stage: mavenStage, copy: [][2]string{{mavenOut, mavenOut}}})
}

// MavenState is the script of one state: the repositories whose directories
// head names are at head, the others at base. must says that what cannot be
// resolved under it ends the build.
func MavenState(spec schemas.Spec, head map[string]bool, must bool) string {
	var s strings.Builder
	line := func(words ...string) {
		for i, w := range words {
			words[i] = shellQuote(w)
		}
		s.WriteString(strings.Join(words, " ") + "\n")
	}
	if must {
		line("must")
	}
	for _, r := range spec.Repos {
		state := "base"
		if head[r.Dir] {
			state = "head"
		}
		line("place", r.Dir, state)
	}
	each := func(verb, dir string, c schemas.Command) {
		if len(c.Run) > 1 && strings.HasPrefix(c.Run[1], link.MavenHome+"/") {
			line(append([]string{verb, path.Join(schemas.TestbedDir, dir, c.Dir)}, c.Run...)...)
		}
	}
	for _, i := range spec.ProvidersFirst() {
		r := spec.Repos[i]
		for _, c := range r.Rebuild {
			each("resolve", r.Dir, c)
		}
	}
	for _, l := range spec.Links {
		for _, r := range spec.Repos {
			if r.Repo.Same(l.Consumer) {
				each("resolve", r.Dir, l.Prove)
			}
		}
	}
	for _, r := range spec.Repos {
		for _, t := range r.Targets {
			each("resolve", r.Dir, t.Command)
		}
	}
	return s.String()
}
