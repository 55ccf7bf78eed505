package recipe

import (
	"fmt"
	"path"
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
	// owns reports whether a setup command is this ecosystem's. What none owns
	// runs in the first fetch stage.
	owns func(schemas.Command) bool
	// warm turns a target into the command that fills a build cache, and reports
	// whether there is one.
	warm func(schemas.Target) (schemas.Command, bool)
	// settle writes what follows the warming, to leave the checkouts clean.
	settle func(*builder)
}

// ecosystems in the order of their fetch stages.
func ecosystems() []ecosystem {
	return []ecosystem{
		{toolchain: "node", install: (*builder).nodeInstall, uses: (*builder).usesNPM, fetch: (*builder).npmFetch},
		{toolchain: "python", install: (*builder).pythonInstall, uses: (*builder).usesPython, fetch: (*builder).pythonFetch, owns: ownsPython},
		{toolchain: "go", stage: (*builder).goToolchain, install: (*builder).goInstall, uses: (*builder).usesGo, fetch: (*builder).goFetch, warm: goWarm},
		{toolchain: "rust", install: (*builder).rustInstall, uses: (*builder).usesCargo, fetch: (*builder).cargoFetch, warm: cargoWarm, settle: (*builder).cargoSettle},
		{toolchain: "cmake", install: (*builder).cmakeInstall, uses: (*builder).usesCMake, fetch: (*builder).cmakeFetch, owns: ownsCMake, warm: cmakeWarm},
		{toolchain: "java", install: (*builder).javaInstall, uses: (*builder).usesMaven, fetch: (*builder).mavenFetch},
	}
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
	i := slices.IndexFunc(ecosystems(), func(e ecosystem) bool { return e.toolchain == t.Name })
	if i < 0 {
		return ecosystem{}, false
	}
	return ecosystems()[i], true
}

// fetchStages writes a stage for each ecosystem that has dependencies to fetch.
func (b *builder) fetchStages() {
	for _, e := range ecosystems() {
		if e.uses(b) {
			e.fetch(b)
		}
	}
}

// setup runs the setup commands of an ecosystem, and in the first fetch stage
// those that none owns.
func (b *builder) setup(toolchain string) {
	for _, r := range b.spec.Repos {
		for _, c := range r.Setup {
			i := slices.IndexFunc(ecosystems(), func(e ecosystem) bool { return e.owns != nil && e.owns(c) })
			if i < 0 && len(b.fetches) == 0 || i >= 0 && ecosystems()[i].toolchain == toolchain {
				b.run(schemas.BuildDependency, path.Join(schemas.TestbedDir, r.Dir), c)
			}
		}
	}
}

// settle leaves the checkouts clean.
func (b *builder) settle() {
	for _, e := range ecosystems() {
		if e.settle != nil && e.uses(b) {
			e.settle(b)
		}
	}
}

// copyImage takes directories out of a toolchain's image.
func (b *builder) copyImage(t schemas.Toolchain, dirs ...string) {
	b.comment(t.Name + " " + t.Version)
	for _, d := range dirs {
		b.step(schemas.BuildNoBaseImage, "COPY --from="+b.pin(t.Image)+" "+d+" "+d)
	}
}
