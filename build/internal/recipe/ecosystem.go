package recipe

import (
	"fmt"
	"slices"

	"crossswe/schemas"
)

// ecosystem is what the recipe knows of one ecosystem. A nil function does
// nothing.
type ecosystem struct {
	// toolchain is the name of its toolchain.
	toolchain string
	// stage writes the stage that a toolchain without an image is taken from.
	stage func(*builder, schemas.Toolchain)
	// install puts a toolchain on the base: one that comes with the base has no
	// image either.
	install func(*builder, schemas.Toolchain)
	// uses reports whether the spec has dependencies to fetch, and fetch writes
	// the stage that does.
	uses  func(*builder) bool
	fetch func(*builder)
	// warm turns a target into the command that fills a build cache, and reports
	// whether there is one.
	warm func(schemas.Target) (schemas.Command, bool)
}

// ecosystems in the order of their fetch stages: the setup commands of the
// spec run in the first of them.
var ecosystems = []ecosystem{
	{toolchain: "node", install: (*builder).nodeInstall, uses: (*builder).usesNPM, fetch: (*builder).npmFetch},
	{toolchain: "go", stage: (*builder).goToolchain, install: (*builder).goInstall, uses: (*builder).usesGo, fetch: (*builder).goFetch, warm: goWarm},
}

// toolchains writes the stages that toolchains are taken from.
func (b *builder) toolchains() {
	b.text.WriteString("# Written from the environment spec; edit that, not this.\n")
	for _, t := range b.spec.Toolchains {
		if e, ok := ecosystemOf(t); ok && e.stage != nil && t.Image == "" {
			e.stage(b, t)
		}
	}
}

// install puts a toolchain on the base.
func (b *builder) install(t schemas.Toolchain) {
	e, ok := ecosystemOf(t)
	if !ok {
		b.fault(fmt.Errorf("nothing is known of toolchain %s from image %q", t.Name, t.Image))
		return
	}
	e.install(b, t)
}

func ecosystemOf(t schemas.Toolchain) (ecosystem, bool) {
	i := slices.IndexFunc(ecosystems, func(e ecosystem) bool { return e.toolchain == t.Name })
	if i < 0 {
		return ecosystem{}, false
	}
	return ecosystems[i], true
}

// fetchStages writes a stage for each ecosystem that has dependencies to fetch.
func (b *builder) fetchStages() {
	for _, e := range ecosystems {
		if e.uses(b) {
			e.fetch(b)
		}
	}
}

// firstSetup runs the setup commands, unless an earlier stage has.
func (b *builder) firstSetup() {
	if len(b.fetches) == 0 {
		b.setup()
	}
}

// copyImage takes directories out of a toolchain's image.
func (b *builder) copyImage(t schemas.Toolchain, dirs ...string) {
	b.comment(t.Name + " " + t.Version)
	for _, d := range dirs {
		b.step(schemas.BuildNoBaseImage, "COPY --from="+b.pin(t.Image)+" "+d+" "+d)
	}
}
