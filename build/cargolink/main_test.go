package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"crossswe/build/internal/cargo"
)

// bed is a testbed with a provider dep, a consumer app, and a directory source
// in place of a registry. It needs cargo.
type bed struct {
	t   *testing.T
	dir string
}

func newBed(t *testing.T) *bed {
	t.Helper()
	b := &bed{t, t.TempDir()}
	b.write("testbed/.cargo/config.toml", `[net]
offline = true
[source.crates-io]
replace-with = "here"
[source.here]
directory = "`+filepath.Join(b.dir, "crates")+`"
[patch.crates-io]
acme-dep = { path = "`+filepath.Join(b.dir, "testbed/.link/dep")+`" }
`)
	plan := cargo.Plan{
		Crates: []cargo.Crate{{Name: "acme-dep", Dir: "dep", Lines: []string{"1"}}},
		Repos:  []cargo.Repo{{Dir: "app", Roots: []string{""}}, {Dir: "dep", Roots: []string{""}}},
	}
	body, err := json.Marshal(plan)
	if err != nil {
		t.Fatal(err)
	}
	b.write("plan.json", string(body))
	b.write("crates/.keep", "")
	b.write("testbed/dep/Cargo.toml", "[package]\nname = \"acme-dep\"\nversion = \"1.2.0\"\nedition = \"2021\"\n[lib]\nname = \"dep\"\n")
	b.write("testbed/dep/src/lib.rs", "pub fn greeting() -> &'static str { \"hello\" }\n")
	b.write("testbed/app/src/lib.rs", "pub fn say() -> &'static str { dep::greeting() }\n#[test]\nfn says() { assert_eq!(say(), \"hello\"); }\n")
	b.consumer(`dep = { package = "acme-dep", version = "1.3" }`)
	return b
}

// consumer writes the consumer's manifest with these dependencies.
func (b *bed) consumer(deps ...string) {
	b.write("testbed/app/Cargo.toml", "[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\n"+strings.Join(deps, "\n")+"\n")
}

func (b *bed) write(name, body string) {
	b.t.Helper()
	file := filepath.Join(b.dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(body), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bed) read(name string) string {
	b.t.Helper()
	body, err := os.ReadFile(filepath.Join(b.dir, name))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(body)
}

// publish puts a release into the directory source.
func (b *bed) publish(name, version, more string) {
	at := "crates/" + name + "-" + version
	b.write(at+"/Cargo.toml", "[package]\nname = \""+name+"\"\nversion = \""+version+"\"\nedition = \"2021\"\n"+more)
	b.write(at+"/src/lib.rs", "pub fn greeting() -> &'static str { \"released\" }\n")
	sum := sha256.Sum256([]byte(name + version))
	b.write(at+"/.cargo-checksum.json", `{"files":{},"package":"`+hex.EncodeToString(sum[:])+`"}`)
}

// call calls the program.
func (b *bed) call(args ...string) (code int, stdout, stderr string) {
	b.t.Helper()
	var out, errs bytes.Buffer
	args = append(args, "-testbed", filepath.Join(b.dir, "testbed"), "-plan", filepath.Join(b.dir, "plan.json"))
	code = program(args, &out, &errs)
	return code, strings.TrimSpace(out.String()), errs.String()
}

// link links and proves; the proof must be the checkout.
func (b *bed) link() {
	b.t.Helper()
	if code, _, errs := b.call("link", "-repo", "app"); code != 0 {
		b.t.Fatalf("linking: exit code %d: %s", code, errs)
	}
	want := filepath.Join(b.dir, "testbed/dep")
	if code, got, errs := b.call("prove", "-repo", "app", "-crate", "acme-dep"); code != 0 || got != want {
		b.t.Fatalf("the proof: exit code %d, %q, want %q: %s", code, got, want, errs)
	}
}

func (b *bed) test() string {
	b.t.Helper()
	cmd := exec.Command("cargo", "test", "--quiet")
	cmd.Dir = filepath.Join(b.dir, "testbed/app")
	out, _ := cmd.CombinedOutput()
	return string(out)
}

// TestLink: the consumer asks for a version that the checkout does not have,
// and gets the checkout all the same, as it is at the moment.
func TestLink(t *testing.T) {
	b := newBed(t)
	b.link()
	if out := b.test(); !strings.Contains(out, "1 passed") {
		t.Errorf("the test:\n%s", out)
	}
	if got := b.read("testbed/.link/dep/Cargo.toml"); !strings.Contains(got, `version = "1.3.0"`) {
		t.Errorf("the copy's manifest:\n%s", got)
	}
	b.write("testbed/dep/src/lib.rs", "mod more;\npub use more::greeting;\n")
	b.write("testbed/dep/src/more.rs", "pub fn greeting() -> &'static str { \"good morning\" }\n")
	b.link()
	if out := b.test(); !strings.Contains(out, "good morning") {
		t.Errorf("the test after a change of the checkout:\n%s", out)
	}
}

// TestLockFile: a lock file that names the release is cut, keeps everything
// else, and is put back.
func TestLockFile(t *testing.T) {
	b := newBed(t)
	b.publish("third", "2.0.0", "")
	b.publish("third", "2.1.0", "")
	b.publish("acme-dep", "1.3.7", "")
	b.consumer(`dep = { package = "acme-dep", version = "1.3" }`, `third = "2"`)
	b.write("testbed/app/Cargo.lock", `version = 4

[[package]]
name = "acme-dep"
version = "1.3.7"
source = "registry+https://github.com/rust-lang/crates.io-index"
checksum = "`+hexSum("acme-dep1.3.7")+`"

[[package]]
name = "app"
version = "0.1.0"
dependencies = [
 "acme-dep",
 "third",
]

[[package]]
name = "third"
version = "2.0.0"
source = "registry+https://github.com/rust-lang/crates.io-index"
checksum = "`+hexSum("third2.0.0")+`"
`)
	before := b.read("testbed/app/Cargo.lock")
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "base"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = filepath.Join(b.dir, "testbed/app")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git: %v: %s", err, out)
		}
	}
	b.link()
	var got []string
	for _, p := range cargo.Lock([]byte(b.read("testbed/app/Cargo.lock"))) {
		got = append(got, p.Name+" "+p.Version)
	}
	if want := "acme-dep 1.3.7,app 0.1.0,third 2.0.0"; strings.Join(got, ",") != want {
		t.Errorf("locked: %q, want %q (the release's version, and the third party's)", got, want)
	}
	if code, _, errs := b.call("restore"); code != 0 || b.read("testbed/app/Cargo.lock") != before {
		t.Errorf("restoring: exit code %d: %s", code, errs)
	}
	if code, got, errs := b.call("prove", "-repo", "app", "-crate", "acme-dep"); code != 0 || got != filepath.Join(b.dir, "testbed/dep") {
		t.Errorf("the proof with the lock file as git has it: exit code %d, %q: %s", code, got, errs)
	}
	if b.read("testbed/app/Cargo.lock") != before {
		t.Errorf("the proof left another lock file:\n%s", b.read("testbed/app/Cargo.lock"))
	}
	if _, err := os.Stat(filepath.Join(b.dir, "testbed/dep/Cargo.lock")); err == nil {
		t.Error("a lock file was left where there was none")
	}
}

func hexSum(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// TestSeed: a workspace without a lock file starts from the seed, so that its
// third parties are the same in every mask.
func TestSeed(t *testing.T) {
	b := newBed(t)
	b.publish("third", "2.0.0", "")
	b.publish("third", "2.1.0", "")
	b.consumer(`dep = { package = "acme-dep", version = "1.3" }`, `third = "2"`)
	b.link()
	if got := b.read("testbed/app/Cargo.lock"); !strings.Contains(got, "2.1.0") {
		t.Fatalf("without a seed:\n%s", got)
	}
	b.write("seeds/app/Cargo.lock", strings.NewReplacer("2.1.0", "2.0.0", hexSum("third2.1.0"), hexSum("third2.0.0")).Replace(b.read("testbed/app/Cargo.lock")))
	if err := os.Remove(filepath.Join(b.dir, "testbed/app/Cargo.lock")); err != nil {
		t.Fatal(err)
	}
	b.link()
	if got := b.read("testbed/app/Cargo.lock"); !strings.Contains(got, "2.0.0") {
		t.Errorf("with a seed:\n%s", got)
	}
}

// TestVoid: what cargo does without a word, or with a warning, must be an error.
func TestVoid(t *testing.T) {
	for _, c := range []struct {
		name  string
		setup func(b *bed)
		want  string
	}{
		{"a feature that the checkout lacks, beside a release that has it", func(b *bed) {
			b.publish("acme-dep", "1.3.5", "[features]\nfresh = []\n")
			b.consumer(`dep = { package = "acme-dep", version = "1.3", features = ["fresh"] }`)
		}, "the patch of acme-dep is not used: 1.3.5 from registry"},
		{"a feature that the checkout lacks", func(b *bed) {
			b.consumer(`dep = { package = "acme-dep", version = "1.3", features = ["fresh"] }`)
		}, "fresh"},
		{"consumers that do not agree on a version", func(b *bed) {
			b.consumer(`dep = { package = "acme-dep", version = "=1.3.0" }`, `other = { package = "acme-dep", version = "=1.4.0" }`)
		}, "no version is allowed by all who ask for it"},
		{"a third party that pins a release", func(b *bed) {
			b.publish("acme-dep", "1.3.5", "")
			b.publish("third", "2.0.0", "[dependencies]\nacme-dep = \"=1.3.5\"\n")
			b.consumer(`dep = { package = "acme-dep", version = "1.3" }`, `third = "2"`)
		}, "the patch of acme-dep is not used: 1.3.5 from registry"},
		{"a third party that pins a release that is not there", func(b *bed) {
			b.publish("third", "2.0.0", "[dependencies]\nacme-dep = \"=1.3.5\"\n")
			b.consumer(`dep = { package = "acme-dep", version = "1.3" }`, `third = "2"`)
		}, "acme-dep"},
		{"a copy of another version, and a release", func(b *bed) {
			b.publish("acme-dep", "1.3.0", "")
			b.link()
			b.write("testbed/.link/dep/Cargo.toml", "[package]\nname = \"acme-dep\"\nversion = \"1.2.0\"\nedition = \"2021\"\n[lib]\nname = \"dep\"\n")
			b.relock()
		}, "the patch of acme-dep is not used: 1.3.0 from registry"},
		{"a release that only a third party uses", func(b *bed) {
			b.publish("acme-dep", "1.3.5", "")
			b.publish("third", "2.0.0", "[dependencies]\nacme-dep = \"=1.3.5\"\n")
			b.consumer(`third = "2"`)
		}, "release 1.3.5 of acme-dep is used by a third party"},
		{"a copy of something else", func(b *bed) {
			b.link()
			b.write("else/lib.rs", "pub fn greeting() -> &'static str { \"else\" }\n")
			if err := os.Remove(filepath.Join(b.dir, "testbed/.link/dep/src")); err != nil {
				b.t.Fatal(err)
			}
			if err := os.Symlink(filepath.Join(b.dir, "else"), filepath.Join(b.dir, "testbed/.link/dep/src")); err != nil {
				b.t.Fatal(err)
			}
		}, "outside its checkout"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBed(t)
			c.setup(b)
			code, _, errs := 0, "", ""
			if !strings.HasPrefix(c.name, "a copy of") {
				code, _, errs = b.call("link", "-repo", "app")
			}
			proof, got, why := b.call("prove", "-repo", "app", "-crate", "acme-dep")
			if proof != 1 || got != "" {
				t.Errorf("the proof: exit code %d, %q", proof, got)
			}
			if !strings.Contains(errs+why, c.want) {
				t.Errorf("linking (%d): %s\nproving: %s\nwant %q", code, errs, why, c.want)
			}
		})
	}
}

// relock lets cargo resolve anew, without the program.
func (b *bed) relock() {
	b.t.Helper()
	cmd := exec.Command("cargo", "generate-lockfile")
	cmd.Dir = filepath.Join(b.dir, "testbed/app")
	if out, err := cmd.CombinedOutput(); err != nil {
		b.t.Fatalf("%v: %s", err, out)
	}
}

// TestNobodyAsks: where the dependency comes with the change, the link holds in
// the states before it.
func TestNobodyAsks(t *testing.T) {
	b := newBed(t)
	b.consumer()
	b.write("testbed/app/src/lib.rs", "")
	b.link()
}

func TestWrongCalls(t *testing.T) {
	b := newBed(t)
	for _, args := range [][]string{{}, {"nonsense"}, {"link", "-repo", "other"}, {"prove", "-repo", "app", "-crate", "other"}, {"link", "extra"}} {
		if code, _, errs := b.call(args...); code != 2 {
			t.Errorf("%q: exit code %d: %s", args, code, errs)
		}
	}
}
