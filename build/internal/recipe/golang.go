package recipe

import (
	"fmt"
	"path"
	"slices"

	"crossswe/build/internal/link"
	"crossswe/schemas"
)

// The places of the Go fetch stage. GoTrees holds <dir>/<state> for the states
// that are not the checkout, GoMasks one workspace per directory.
const (
	GoRoot    = "/deps/go"
	GoTrees   = GoRoot + "/trees"
	GoMasks   = GoRoot + "/masks"
	goModules = GoRoot + "/mod"
	goOut     = GoRoot + "/out"
	goStage   = "go-modules"
)

// GoFetchScript fetches the modules of every workspace. It is part of the
// build context. The list of packages tolerates what a partial mask cannot
// load; "strict" names those that must load. The whole module graph is read at
// the end, since the proof of a link asks for it later without a network.
const GoFetchScript = `#!/bin/sh
set -eu
PATH="$(go env GOROOT)/bin:$PATH"
export PATH GOTOOLCHAIN=local GOMODCACHE=` + goModules + `
mkdir -p "$GOMODCACHE" ` + goOut + `
for w in ` + GoMasks + `/*; do
	cd "$w"
	export GOWORK="$w/go.work"
	echo "fetching the modules of $(basename "$w")"
	if ! { xargs -d '\n' -a packages go list -e -deps -test -f '{{with .Error}}{{.}}{{end}}' && go list -m all >/dev/null; }; then
		if [ -e must ]; then exit 1; fi
		echo "the partial mask $(basename "$w") does not resolve"
	fi
	if [ -s strict ]; then xargs -d '\n' -a strict go list -deps -test >/dev/null; fi
	touch go.work.sum
done
cat ` + GoMasks + `/*/go.work.sum | sort -u >` + goOut + `/go.work.sum
`

// usesGo reports whether the spec has a Go workspace.
func (b *builder) usesGo() bool {
	return slices.ContainsFunc(b.spec.Files, func(f schemas.SpecFile) bool { return f.Path == link.GoWorkFile })
}

func (b *builder) goToolchain(t schemas.Toolchain) {
	b.comment("go " + t.Version)
	b.from(b.pin(b.spec.Base), "go-toolchain")
	b.args()
	b.env("GOTOOLCHAIN=go" + t.Version)
	b.step(schemas.BuildNoToolchain, "RUN go version && mkdir -p /go/pkg/mod/cache/download && rm -rf /go/pkg/mod/cache/download/golang.org/toolchain/@v/*.zip")
}

// goInstall copies the toolchain, selects it and compiles the standard library
// once for all instances that use it.
func (b *builder) goInstall(t schemas.Toolchain) {
	if t.Image != "" {
		b.fault(fmt.Errorf("nothing is known of toolchain %s from image %q", t.Name, t.Image))
		return
	}
	b.env("GOTOOLCHAIN=go" + t.Version)
	b.step(schemas.BuildNoToolchain, "COPY --from=go-toolchain /go/pkg/mod /go/pkg/mod")
	b.step(schemas.BuildNoToolchain, "RUN GOPROXY=off go build std")
}

func (b *builder) goFetch() {
	b.comment("Go modules of base and head under every mask; only the module cache leaves this stage")
	b.from("base", goStage)
	b.args()
	b.addRepos()
	b.setup("go")
	b.exec(schemas.BuildStep, "COPY", path.Join(DepsDir, link.Go)+"/", GoRoot+"/")
	b.exec(schemas.BuildDependency, "RUN", "sh", GoRoot+"/fetch.sh")
	b.fetches = append(b.fetches, fetch{name: link.Go, stage: goStage, copy: [][2]string{
		{goModules, "/go/pkg/mod"},
		{goOut + "/go.work.sum", link.GoWorkFile + ".sum"},
	}})
}

// goWarm turns a target into the command that compiles and links its tests
// without running them.
func goWarm(t schemas.Target) (schemas.Command, bool) {
	if t.Runner != schemas.RunnerGo || len(t.Command.Run) < 2 || t.Command.Run[1] != "test" {
		return schemas.Command{}, false
	}
	c := t.Command
	c.Run = slices.Insert(slices.Clone(c.Run), 2, "-exec=true")
	return c, true
}
