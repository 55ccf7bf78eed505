package recipe

import (
	"path"
	"slices"

	"crossswe/build/internal/link"
	"crossswe/schemas"
)

// The places of the Cargo fetch stage.
const (
	CargoRoot  = "/deps/cargo"
	cargoOut   = CargoRoot + "/out"
	cargoStage = "cargo-crates"
)

// CargoLink is the program that links checkouts of Rust; it stands beside
// ReportProgram, in images with Rust only.
const CargoLink = "cargolink"

// CargoRustDoc is the script that lets doc tests use libtest's report format.
// The compiler of the code in them sees the variable too; that of the library
// does not.
const CargoRustDoc = "#!/bin/sh\nRUSTC_BOOTSTRAP=1 exec rustdoc \"$@\"\n"

// usesCargo reports whether the spec links checkouts of Rust.
func (b *builder) usesCargo() bool {
	return slices.ContainsFunc(b.spec.Files, func(f schemas.SpecFile) bool { return f.Path == link.CargoPlanFile })
}

// rustInstall copies Rust from its image, unless the base is that. Where there
// is rustup, the compiler gets a name that wins over the toolchain files of the
// repositories, since it would fetch what those name.
func (b *builder) rustInstall(t schemas.Toolchain) {
	if t.Image != "" {
		b.copyImage(t, "/usr/local/rustup/", "/usr/local/cargo/")
		b.env("RUSTUP_HOME=/usr/local/rustup")
		b.env("CARGO_HOME=/usr/local/cargo")
		b.step(schemas.BuildStep, `RUN ["sh", "-c", "ln -s /usr/local/cargo/bin/* /usr/local/bin/"]`)
	}
	b.step(schemas.BuildNoToolchain, `RUN ["sh", "-c", "if command -v rustup; then rustup toolchain link crossswe \"$(rustc --print sysroot)\"; fi"]`)
	b.env("RUSTUP_TOOLCHAIN=crossswe")
}

func (b *builder) cargoFetch() {
	b.comment("crates of base and head under every mask, less the siblings; only these, lock files of those without one, and programs leave this stage")
	b.from("base", cargoStage)
	b.args()
	b.exec(schemas.BuildStep, "COPY", path.Join(DepsDir, link.Cargo)+"/", CargoRoot+"/")
	b.exec(schemas.BuildDependency, "RUN", cargoOut+"/"+CargoLink, "fetch", "-deps", CargoRoot)
	b.fetches = append(b.fetches, fetch{name: link.Cargo, stage: cargoStage, copy: [][2]string{{cargoOut + "/", link.CargoHome + "/"}}})
}

// cargoSettle puts lock files back that the links changed, so that the
// checkouts are clean: every mask links anew.
func (b *builder) cargoSettle() {
	b.exec(schemas.BuildStep, "RUN", link.CargoProgram, "restore")
}

// cargoWarm turns a target into the command that compiles its tests without
// running them. Doc tests are compiled as they run.
func cargoWarm(t schemas.Target) (schemas.Command, bool) {
	at := slices.Index(t.Command.Run, "test")
	if t.Runner != schemas.RunnerCargo || at < 0 || slices.Contains(t.Command.Run, "--doc") {
		return schemas.Command{}, false
	}
	c := t.Command
	c.Run = slices.Insert(slices.Clone(c.Run), at+1, "--no-run")
	return c, true
}
