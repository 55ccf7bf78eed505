package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const minimal = "repositories:\n  mirrors: mirrors\n"

func TestParseFillsDefaults(t *testing.T) {
	c, err := Parse([]byte(minimal))
	if err != nil {
		t.Fatal(err)
	}
	want := defaults()
	want.Repositories.Mirrors = "mirrors"
	if diff := cmp.Diff(want, c); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTheStoreIsAFileOrAURL(t *testing.T) {
	const url = "postgres://u@h:5432/db?sslmode=verify-full"
	tests := []struct{ name, body, want string }{
		{"neither", "", "crossswe.db"},
		{"a file", "store: {path: a.db}\n", "a.db"},
		{"a file and an empty URL", "store: {path: a.db, url: \"\"}\n", "a.db"},
		{"a URL", "store: {url: \"" + url + "\"}\n", url},
		{"a URL and an empty file", "store: {path: \"\", url: \"" + url + "\"}\n", url},
	}
	for _, tt := range tests {
		c, err := Parse([]byte(minimal + tt.body))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		} else if got := c.Store.Place(); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestReadMakesPathsAbsolute(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "pipeline.yaml")
	body := minimal + "  list:\n    - {name: a/b, path: x}\nmine: {pair_within: 72h, from: 2025-02-03}\n"
	if err := os.WriteFile(file, []byte(body), 0o666); err != nil {
		t.Fatal(err)
	}
	c, err := Read(file)
	if err != nil {
		t.Fatal(err)
	}
	got := []any{c.Store.Path, c.Store.Artefacts, c.Repositories.Mirrors, c.Repositories.List[0].Path, time.Duration(c.Mine.PairWithin), c.Mine.From.Format(time.DateOnly)}
	want := []any{filepath.Join(dir, "crossswe.db"), filepath.Join(dir, "artefacts"), filepath.Join(dir, "mirrors"), filepath.Join(dir, "x"), 72 * time.Hour, "2025-02-03"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestReadLeavesURLsAlone(t *testing.T) {
	for _, at := range []string{"s3://tide/one?region=eu-west-1", "file:///srv/artefacts"} {
		file := filepath.Join(t.TempDir(), "pipeline.yaml")
		if err := os.WriteFile(file, []byte(minimal+"store: {artefacts: '"+at+"'}\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		c, err := Read(file)
		if err != nil {
			t.Fatal(err)
		}
		if c.Store.Artefacts != at {
			t.Errorf("got %s, want %s", c.Store.Artefacts, at)
		}
	}
}

func TestParseReportsEveryFaultWithItsLine(t *testing.T) {
	tests := []struct {
		name, body string
		want       []string
	}{
		{"empty", "", []string{"empty"}},
		{"only a comment", "# nothing\n", []string{"empty"}},
		{"two documents", minimal + "---\nmine: {}\n", []string{"second document"}},
		{"no yaml", "mine: [", []string{"line 1"}},
		{
			"a file and a URL", minimal + "store:\n  path: a.db\n  url: postgres://u@h/db\n",
			[]string{"line 5: store.url: the store is a file or a URL"},
		},
		{
			"a password in the URL", minimal + "store:\n  url: postgres://u:hunter2@h/db\n",
			[]string{"line 4: store.url: a password does not belong here: set PGPASSWORD, or write it to a pgpass file"},
		},
		{
			"a URL of something else", minimal + "store: {url: mysql://u:hunter2@h/db}\n",
			[]string{"line 3: store.url: a URL of the form postgres://user@host:5432/database"},
		},
		{
			"a URL in the place of the section", minimal + "store: postgres://u:hunter2@h/db\n",
			[]string{"line 3: !!str `postgre...` stands where keys of their own are wanted (Store)"},
		},
		{"a part of a container", minimal + "machine: {containers: 0.5, memory_mb: 2.0}\n", []string{"machine.containers: 0.5 is no whole number\nline 3: machine.memory_mb: 2.0 is no whole number"}},
		{"nothing at hand", "mine: {max_sides: 2}\n", []string{"repositories: name mirrors, a list, or both"}},
		{
			"misspelt keys", "repositorys: {}\nmine:\n  windw: 3\n",
			[]string{"line 1: unknown key repositorys", "line 3: unknown key windw"},
		},
		{
			"misspelt keys beside values out of range", minimal + "mine: {form: 2025-01-01, max_sides: 9}\n",
			[]string{"line 3: unknown key form\nline 3: mine.max_sides: 9"},
		},
		{
			"a bare name in the list", "repositories:\n  list: [a/b]\n",
			[]string{"line 2: !!str `a/b` stands where keys of their own are wanted: write - name: owner/name"},
		},
		{
			"wrong types", minimal + "mine:\n  from: yesterday\n  pair_within: 3 days\nverify:\n  workers: many\n",
			[]string{"line 4: \"yesterday\" is no date", "line 5: \"3 days\" is no duration", "line 7: `many` is no number"},
		},
		{
			"values out of range", minimal + "mine:\n  max_sides: 9\nverify:\n  workers: 0\n  repetitions: 0\nbuild:\n  history: all\n",
			[]string{"line 4: mine.max_sides: 9", "line 6: verify.workers: 0", "line 7: verify.repetitions: 0", "line 9: build.history: \"all\""},
		},
		{
			"no way to sign in", minimal + "screen:\n  sign_in: password\n  header: a b\n  proxies: [10.0.0.1]\n",
			[]string{"line 4: screen.sign_in: \"password\" is neither link nor header", "line 5: screen.header: \"a b\" is no name", "line 6: screen.proxies: they are for sign_in: header"},
		},
		{
			"a header that anyone may send", minimal + "screen:\n  sign_in: header\n",
			[]string{"screen.proxies: name the proxies whose header is believed"},
		},
		{
			"proxies that are none", minimal + "screen:\n  sign_in: header\n  proxies:\n    - 10.0.0.1\n    - proxy.example.org\n    - ::ffff:10.0.0.0/104\n",
			[]string{"line 7: \"proxy.example.org\" is neither an address nor a range", "line 8: \"::ffff:10.0.0.0/104\" is neither"},
		},
		{
			"everybody is a proxy", minimal + "screen:\n  sign_in: header\n  proxies:\n    - 10.0.0.1\n    - 0.0.0.0/0\n",
			[]string{"line 7: screen.proxies.1: 0.0.0.0/0 is everybody"},
		},
		{
			"artefacts nowhere", minimal + "store:\n  artefacts: gs://tide\n",
			[]string{"line 4: store.artefacts: gs is not known"},
		},
		{
			"a password in a URL", minimal + "store:\n  path: x\n  artefacts: s3://key:word@tide\n",
			[]string{"line 5: store.artefacts: a password or key does not belong"},
		},
		{
			"the list", "repositories:\n  list:\n    - {name: nonsense}\n    - {name: a/b, path: x}\n    - {name: A/B, path: y, aliases: [c]}\n",
			[]string{"line 3: repositories.list.0: \"nonsense\"", "nonsense has no path", "line 5: repositories.list.2: A/B stands twice", "line 5: repositories.list.2: alias \"c\""},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse([]byte(tt.body))
			if err == nil {
				t.Fatal("it was taken")
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the error tells the password: %v", err)
			}
			for _, w := range tt.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("the error lacks %q:\n%v", w, err)
				}
			}
		})
	}
}

func TestProxies(t *testing.T) {
	c, err := Parse([]byte(minimal + "screen: {sign_in: header, proxies: [127.0.0.1, 10.1.2.3/16, '::1', '::ffff:10.0.0.1', 'fd00::/8']}\n"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range c.Screen.Proxies {
		got = append(got, p.String())
	}
	want := []string{"127.0.0.1/32", "10.1.0.0/16", "::1/128", "10.0.0.1/32", "fd00::/8"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestRegistry(t *testing.T) {
	const fault = "line 3: build.registry: want the repository"
	for value, want := range map[string]string{
		`""`:                               "",
		"registry.example.org/crossswe":    "",
		"127.0.0.1:5000/crossswe/env":      "",
		"docker.io/crossswe/env":           "",
		"crossswe/env":                     fault,
		"registry.example.org":             fault,
		"registry.example.org/x:latest":    fault,
		"https://registry.example.org/x":   fault,
		"user:s3cret@registry.example/x":   fault,
		"registry.example.org/Upper":       fault,
		"registry.example.org/x@sha256:00": fault,
	} {
		_, err := Parse([]byte(minimal + "build: {registry: " + value + "}\n"))
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", value, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: got %v, want %s", value, err, want)
		case err != nil && strings.Contains(err.Error(), "s3cret"):
			t.Errorf("the error repeats a password: %v", err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(minimal))
	f.Add([]byte("a: &a [*a]"))
	f.Fuzz(func(t *testing.T, body []byte) {
		if c, err := Parse(body); (c == nil) == (err == nil) {
			t.Errorf("got %v and %v", c, err)
		}
	})
}
