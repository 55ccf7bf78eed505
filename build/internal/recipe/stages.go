package recipe

import (
	"path"
	"slices"
	"strings"

	"crossswe/schemas"
)

// base writes the stage that the image and the fetch stages stand on: what
// instances with the same toolchains and packages share.
func (b *builder) base() {
	b.comment("toolchains and packages")
	b.from(b.pin(b.spec.Base), "base")
	b.env("LANG=C.UTF-8")
	b.env("TZ=UTC")
	if len(b.spec.Packages) > 0 {
		b.packages()
	}
	for _, t := range b.spec.Toolchains {
		b.install(t)
	}
	b.step(schemas.BuildStep, `RUN ["sh", "-c", "git config --system --add safe.directory '*' && git config --system user.name crossswe && git config --system user.email crossswe@localhost && git config --system init.defaultBranch main && git config --system advice.detachedHead false"]`)
}

func (b *builder) packages() {
	args := append([]string{"sh", "-c",
		`apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends -- "$@" >/dev/null && rm -rf /var/lib/apt/lists/* /var/log/apt /var/log/dpkg.log /var/cache/apt`, "sh"},
		b.spec.Packages...)
	b.exec(schemas.BuildDependency, "RUN", args...)
}

// image writes the last stage, in which nothing needs a network.
func (b *builder) image() {
	b.comment("the image: checkouts, dependencies, links, and a warm cache")
	b.from("base", "")
	b.addRepos()
	for _, f := range b.fetches {
		for _, c := range f.copy {
			b.step(schemas.BuildDependency, "COPY --from="+f.stage+" "+c[0]+" "+c[1])
		}
	}
	if len(b.spec.Files) > 0 {
		b.exec(schemas.BuildStep, "COPY", FilesDir+"/", "/")
	}
	for _, e := range b.spec.Env {
		b.env(e)
	}
	b.links()
	b.rebuild()
	b.warm()
	b.settle()
	b.step(schemas.BuildStep, "RUN mkdir -p -m 0777 "+reports(b.spec))
	b.exec(schemas.BuildStep, "COPY", ToolsDir+"/", ReportProgramDir+"/")
	b.step(schemas.BuildStep, "WORKDIR "+schemas.TestbedDir)
	b.step(schemas.BuildStep, `CMD ["bash"]`)
}

// ReportsDir is where inferred targets write their reports.
const ReportsDir = "/var/crossswe/reports"

// reports lists the directories that the targets write reports into.
func reports(spec schemas.Spec) string {
	dirs := []string{ReportsDir}
	for _, r := range spec.Repos {
		for _, t := range r.Targets {
			if d := path.Dir(t.Report); t.Report != "" && !slices.Contains(dirs, d) {
				dirs = append(dirs, d)
			}
		}
	}
	for i, d := range dirs {
		dirs[i] = shellQuote(d)
	}
	return strings.Join(dirs, " ")
}

func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// addRepos unpacks the checkouts, one layer each.
func (b *builder) addRepos() {
	for _, r := range b.spec.Repos {
		b.exec(schemas.BuildStep, "ADD", path.Join(ReposDir, r.Dir+".tar"), schemas.TestbedDir+"/")
	}
}

// links makes every link, after everything that installs.
func (b *builder) links() {
	for _, l := range b.spec.Links {
		for _, c := range l.Make {
			b.run(schemas.BuildLinkVoid, b.dir(l.Consumer), c)
		}
	}
}

func (b *builder) rebuild() {
	for _, i := range b.spec.ProvidersFirst() {
		r := b.spec.Repos[i]
		for _, c := range r.Rebuild {
			b.run(schemas.BuildStep, path.Join(schemas.TestbedDir, r.Dir), c)
		}
	}
}

// warm fills the build caches with the targets at base. A target that is not
// there at base, or does not build, is verify's to judge.
func (b *builder) warm() {
	for _, r := range b.spec.Repos {
		for _, t := range r.Targets {
			for _, e := range ecosystems() {
				if e.warm == nil {
					continue
				}
				if c, ok := e.warm(t); ok {
					b.run(schemas.BuildStep, path.Join(schemas.TestbedDir, r.Dir), c, tolerated()...)
				}
			}
		}
	}
}

// dir is a repository's checkout in the image.
func (b *builder) dir(repo schemas.RepoName) string {
	for _, r := range b.spec.Repos {
		if r.Repo.Same(repo) {
			return path.Join(schemas.TestbedDir, r.Dir)
		}
	}
	return schemas.TestbedDir
}
