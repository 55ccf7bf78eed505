package recipe

import (
	_ "embed" // for the installing script
	"path"
	"slices"

	"crossswe/build/internal/link"
	"crossswe/schemas"
)

const pythonStage = "python-packages"

// PythonInstallScript resolves and installs what the setup commands of Python
// name. It is part of the build context.
//
//go:embed install.py
var PythonInstallScript string

// pythonLibraries are what an interpreter needs of Debian that is copied onto
// another base.
const pythonLibraries = "libbz2-1.0 libexpat1 libffi8 liblzma5 libncursesw6 libnsl2 libreadline8 libsqlite3-0 libssl3 libtirpc3 libuuid1 zlib1g"

// usesPython reports whether the spec installs packages of Python.
func (b *builder) usesPython() bool {
	return slices.ContainsFunc(b.spec.Toolchains, func(t schemas.Toolchain) bool { return t.Name == "python" })
}

// pythonInstall copies the interpreter from its image, unless the base is that,
// and puts the environment first on PATH.
func (b *builder) pythonInstall(t schemas.Toolchain) {
	if t.Image != "" {
		b.copyImage(t, "/usr/local/bin/", "/usr/local/lib/", "/usr/local/include/")
		b.step(schemas.BuildDependency, "RUN apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "+
			pythonLibraries+" >/dev/null && rm -rf /var/lib/apt/lists/* /var/log/apt /var/log/dpkg.log /var/cache/apt && ldconfig")
	}
	b.step(schemas.BuildStep, `ENV PATH="`+link.PythonVenv+`/bin:$PATH"`)
}

// ownsPython reports whether a setup command calls the installing script.
func ownsPython(c schemas.Command) bool { return slices.Contains(c.Run, link.PythonInstall) }

func (b *builder) pythonFetch() {
	b.comment("Python packages of base and head, less the siblings; only the environment and the build back ends leave this stage")
	b.from("base", pythonStage)
	b.args()
	b.addRepos()
	b.exec(schemas.BuildStep, "COPY", path.Join(DepsDir, link.Python)+"/", link.PythonRoot+"/")
	b.exec(schemas.BuildDependency, "RUN", "python3", link.PythonInstall, "prepare")
	b.setup("python")
	b.exec(schemas.BuildDependency, "RUN", "python3", link.PythonInstall, "finish")
	b.fetches = append(b.fetches, fetch{name: link.Python, stage: pythonStage, copy: [][2]string{
		{link.PythonVenv, link.PythonVenv}, {link.PythonBuild, link.PythonBuild},
	}})
}
