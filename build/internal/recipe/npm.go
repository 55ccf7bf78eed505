package recipe

import (
	_ "embed" // for the collecting script
	"path"
	"slices"

	"crossswe/build/internal/link"
	"crossswe/schemas"
)

// The places of the npm fetch stage. NPMManifests holds <dir>/… for every
// manifest that is replaced, NPMLinks the siblings.
const (
	NPMRoot      = "/deps/npm"
	NPMManifests = NPMRoot + "/manifests"
	NPMLinks     = NPMRoot + "/links.json"
	npmOut       = NPMRoot + "/out"
	npmStage     = "npm-modules"
)

// NPMCollectScript replaces the siblings' published copies of the same version
// line by links, wherever a third party brought one along, and moves every
// node_modules out of the checkouts. It is part of the build context.
//
//go:embed collect.js
var NPMCollectScript string

// usesNPM reports whether the spec installs packages of npm.
func (b *builder) usesNPM() bool {
	return slices.ContainsFunc(b.spec.Toolchains, func(t schemas.Toolchain) bool { return t.Name == "node" })
}

// nodeInstall copies Node.js from its image, unless the base is that.
func (b *builder) nodeInstall(t schemas.Toolchain) {
	if t.Image != "" {
		b.copyImage(t, "/usr/local/bin/", "/usr/local/lib/node_modules/", "/usr/local/include/node/")
	}
}

func (b *builder) npmFetch() {
	b.comment("npm packages of base and head, less the siblings; only node_modules leaves this stage")
	b.from("base", npmStage)
	b.args()
	b.addRepos()
	b.exec(schemas.BuildStep, "COPY", path.Join(DepsDir, link.NPM)+"/", NPMRoot+"/")
	b.step(schemas.BuildStep, "RUN cp -a "+NPMManifests+"/. "+schemas.TestbedDir+"/")
	b.setup("node")
	b.exec(schemas.BuildDependency, "RUN", "node", NPMRoot+"/collect.js")
	b.fetches = append(b.fetches, fetch{name: link.NPM, stage: npmStage, copy: [][2]string{{npmOut + "/", schemas.TestbedDir + "/"}}})
}
