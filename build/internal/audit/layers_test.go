package audit

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crossswe/schemas"
)

const gold = `diff --git a/client.go b/client.go
index 1111111..2222222 100644
--- a/client.go
+++ b/client.go
@@ -1,2 +1,6 @@
 package client
+// Retry tells how often a refused call is made again.
+const defaultRetries, slowestRetry = 7, 90 * time.Second
+func (c *Client) retryRefused(call *Call) error {
+	return c.again(call, defaultRetries)
 var x = 1
@@ -20,2 +24,3 @@
 func y() {
+	logger.Warn("the server refused the call and will be asked again", "server", c.name)
 }
diff --git a/go.mod b/go.mod
index 1111111..2222222 100644
--- a/go.mod
+++ b/go.mod
@@ -1 +1,2 @@
 module client
+require example.com/dependency/of/the/client v1.7.3
`

const (
	leak1 = "// Retry tells how often a refused call is made again.\n"
	leak2 = "const defaultRetries, slowestRetry = 7, 90 * time.Second\n"
	leak3 = "\treturn c.again(call, defaultRetries)\n"
	lone1 = `	logger.Warn("the server refused the call and will be asked again", "server", c.name)` + "\n"
)

func rules(t *testing.T, bases ...string) Rules {
	t.Helper()
	hunks, err := Hunks("x/client", "gold", []byte(gold), []schemas.File{{Path: "client.go", Class: schemas.ClassSource}, {Path: "go.mod", Class: schemas.ClassManifest}})
	if err != nil {
		t.Fatal(err)
	}
	needles, err := NewNeedles(hunks, func(read func(io.Reader) error) error {
		for _, b := range bases {
			if err := read(strings.NewReader(b)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return Rules{
		Needles:   needles,
		Checkouts: []string{"/testbed/client", "/testbed/lib"},
		Siblings: []Sibling{
			{Ecosystem: "go", Name: "example.com/Lib/v2", Dir: "/testbed/lib"},
			{Ecosystem: "npm", Name: "@s/lib", Dir: "/testbed/lib/packages/lib", Majors: []string{"2", "3"}},
			{Ecosystem: "python", Name: "harbor-core", Dir: "/testbed/lib"},
		},
		Secrets: [][]byte{[]byte("https://user:pass@proxy.invalid")},
	}
}

// layer is a layer's files; a name that ends with a slash is a directory, a
// content that begins with "-> " a link.
type layer map[string]string

func archive(t *testing.T, files layer) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644, Size: int64(len(files[name]))}
		body := files[name]
		if strings.HasSuffix(name, "/") {
			h.Typeflag = tar.TypeDir
		} else if target, ok := strings.CutPrefix(body, "-> "); ok {
			h.Typeflag, h.Linkname, h.Size, body = tar.TypeSymlink, target, 0, ""
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(body)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// saved is an image as "docker save" of an old engine writes it.
func saved(t *testing.T, config string, layers ...layer) []byte {
	outer := layer{"0123.json": config, "manifest.json": `[{"Config":"0123.json"}]`}
	for i, l := range layers {
		outer[strings.Repeat(string(rune('a'+i)), 64)+"/layer.tar"] = string(archive(t, l))
	}
	return archive(t, outer)
}

func zipped(t *testing.T, name, body string) string {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f, err := w.Create(name)
	if err == nil {
		_, err = f.Write([]byte(body))
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func gzipped(t *testing.T, body string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(body)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestLayers(t *testing.T) {
	clean := layer{"testbed/client/client.go": "package client\nvar x = 1\n", "testbed/client/.git/HEAD": "ref: refs/heads/main\n",
		"testbed/client/.git/objects/pack/pack-1.pack": "PACK", "testbed/client/.git/refs/heads/main": "0123\n", "etc/": ""}
	for _, c := range []struct {
		name   string
		config string
		layers []layer
		want   []string // check and path
	}{
		{"clean", "{}", []layer{clean}, nil},
		{"a hunk in a file that a later layer deletes", "{}", []layer{clean, {"tmp/fix.patch": leak1 + leak2 + leak3}, {"tmp/.wh.fix.patch": ""}}, []string{"hunks /tmp/fix.patch"}},
		{"half of a hunk in a build artefact", "{}", []layer{{"testbed/client/dist/x.js": "a;" + leak1 + "b;" + leak2}}, []string{"hunks /testbed/client/dist/x.js"}},
		{"one line of several is chance", "{}", []layer{{"usr/lib/x.go": leak3}}, nil},
		{"a long line that is a hunk of its own", "{}", []layer{{"usr/lib/x.bin": "\x00\x01" + lone1}}, []string{"hunks /usr/lib/x.bin"}},
		{"what a manifest names is installed", "{}", []layer{{"go/pkg/mod/x": "require example.com/dependency/of/the/client v1.7.3\n"}}, nil},
		{"in a zip", "{}", []layer{{"go/pkg/mod/cache/download/x/@v/v1.zip": zipped(t, "x@v1/a.go", leak1+leak2)}}, []string{"hunks /go/pkg/mod/cache/download/x/@v/v1.zip!x@v1/a.go"}},
		{"in a tarball", "{}", []layer{{"root/.npm/x": gzipped(t, string(archive(t, layer{"package/a.js": lone1})))}}, []string{"hunks /root/.npm/x"}},
		{"in a zip in a tarball", "{}", []layer{{"x.tgz": gzipped(t, zipped(t, "a", lone1))}}, []string{"hunks /x.tgz!a"}},
		{"a broken zip is scanned as it is", "{}", []layer{{"x.zip": "PK\x03\x04" + lone1}}, []string{"hunks /x.zip"}},
		{"a broken gzip is scanned as far as it goes", "{}", []layer{{"x.gz": gzipped(t, lone1+strings.Repeat("x", 1<<20))[:900]}}, []string{"hunks /x.gz"}},
		{"what only begins like a gzip", "{}", []layer{{"x": "\x1f\x8b\x00" + lone1}}, []string{"hunks /x"}},
		{"in the history of the image", `{"history": [{"created_by": "RUN echo ` + strings.TrimSpace(strings.ReplaceAll(lone1, `"`, `'`)) + ` ` + strings.TrimSpace(leak1) + strings.TrimSpace(leak2) + `"}]}`, []layer{clean}, []string{"hunks 0123.json"}},
		{"a released sibling, extracted", "{}", []layer{{"go/pkg/mod/example.com/!lib/v2@v2.4.0/": ""}}, []string{"sibling_releases /go/pkg/mod/example.com/!lib/v2@v2.4.0"}},
		{"a released sibling, as archive", "{}", []layer{{"go/pkg/mod/cache/download/example.com/!lib/v2/@v/v2.4.0.zip": "PK"}}, []string{"sibling_releases /go/pkg/mod/cache/download/example.com/!lib/v2/@v/v2.4.0.zip"}},
		{"its go.mod and another major are needed", "{}", []layer{{"go/pkg/mod/cache/download/example.com/!lib/v2/@v/v2.4.0.mod": "module x", "go/pkg/mod/example.com/!lib@v1.0.0/": "", "go/pkg/mod/example.com/!lib/v2/sub@v2.0.0/": ""}}, nil},
		{"an installed sibling", "{}", []layer{{"testbed/client/node_modules/x/node_modules/@s/lib/package.json": `{"version": "3.0.1"}`}},
			[]string{"sibling_releases /testbed/client/node_modules/x/node_modules/@s/lib/package.json"}},
		{"an installed sibling of another line", "{}", []layer{{"testbed/client/node_modules/x/node_modules/@s/lib/package.json": `{"version": "1.0.1"}`, "testbed/client/node_modules/@s/lib": "-> ../../lib"}}, nil},
		{"an installed sibling without a version", "{}", []layer{{"a/node_modules/@s/lib/package.json": `{}`}}, []string{"sibling_releases /a/node_modules/@s/lib/package.json"}},
		{"an installed copy of a distribution", "{}", []layer{{"opt/venv/lib/python3.12/site-packages/Harbor_Core-2.0.dist-info/RECORD": "harbor_core/__init__.py,sha256=x,1\nharbor_core-2.0.dist-info/RECORD,,\n"}},
			[]string{"sibling_releases /opt/venv/lib/python3.12/site-packages/Harbor_Core-2.0.dist-info/RECORD"}},
		{"a copy of one file", "{}", []layer{{"x/harbor.core-2.0.dist-info/RECORD": "harbor.py,,\n"}}, []string{"sibling_releases /x/harbor.core-2.0.dist-info/RECORD"}},
		{"an editable installation, and another distribution", "{}", []layer{{
			"x/harbor_core-2.0.dist-info/RECORD":       "__editable__.harbor_core-2.0.pth,,\n__editable___harbor_core_2_0_finder.py,,\n__pycache__/__editable___harbor.cpython-312.pyc,,\n../../../bin/harbor,,\nharbor_core-2.0.dist-info/METADATA,,\n",
			"x/harbor_core_extra-1.0.dist-info/RECORD": "harbor_core_extra/__init__.py,,\n", "x/harbor-core-extra-1.0.tar.gz": "x"}}, nil},
		{"a wheel in pip's cache", "{}", []layer{{"root/.cache/pip/http-v2/a/b/abcdef.body": zipped(t, "harbor_core-2.0.dist-info/RECORD", "harbor_core/__init__.py,,\n")}},
			[]string{"sibling_releases /root/.cache/pip/http-v2/a/b/abcdef.body!harbor_core-2.0.dist-info/RECORD"}},
		{"a wheel and an archive of a distribution", "{}", []layer{{"root/harbor_core-2.0-py3-none-any.whl": "PK", "srv/Harbor-Core-2.0.1.tar.gz": "x"}},
			[]string{"sibling_releases /root/harbor_core-2.0-py3-none-any.whl", "sibling_releases /srv/Harbor-Core-2.0.1.tar.gz"}},
		{"a reflog", "{}", []layer{clean, {"testbed/client/.git/logs/HEAD": "0 1\n"}}, []string{"git_directories /testbed/client/.git/logs/HEAD"}},
		{"a stash", "{}", []layer{clean, {"testbed/client/.git/refs/stash": "1\n"}}, []string{"git_directories /testbed/client/.git/refs/stash"}},
		{"a tag, deleted later", "{}", []layer{clean, {"testbed/client/.git/refs/tags/v1": "1\n"}, {"testbed/client/.git/refs/tags/.wh.v1": ""}}, []string{"git_directories /testbed/client/.git/refs/tags/v1"}},
		{"loose objects, alternates, notes and FETCH_HEAD", "{}", []layer{{"testbed/lib/.git/objects/ab/cdef": "x", "testbed/lib/.git/objects/info/alternates": "/x\n", "testbed/lib/.git/FETCH_HEAD": "1\n", "testbed/lib/.git/refs/notes/commits": "1\n"}},
			[]string{"git_directories /testbed/lib/.git/FETCH_HEAD", "git_directories /testbed/lib/.git/objects/ab/cdef", "git_directories /testbed/lib/.git/objects/info/alternates", "git_directories /testbed/lib/.git/refs/notes/commits"}},
		{"a submodule's git directory, an LFS object and ORIG_HEAD", "{}", []layer{{"testbed/lib/.git/modules/sub/HEAD": "ref: x\n", "testbed/lib/.git/lfs/objects/ab/cd/abcd": "x", "testbed/lib/.git/ORIG_HEAD": "1\n"}},
			[]string{"git_directories /testbed/lib/.git/ORIG_HEAD", "git_directories /testbed/lib/.git/lfs/objects/ab/cd/abcd", "git_directories /testbed/lib/.git/modules/sub/HEAD"}},
		{"a second pack", "{}", []layer{clean, {"testbed/client/.git/objects/pack/pack-2.pack": "PACK"}}, []string{"git_directories /testbed/client/.git/objects/pack/pack-2.pack"}},
		{"a repository elsewhere", "{}", []layer{{"root/mirror/.git/HEAD": "ref: x\n", "srv/bare.git/objects/pack/pack-9.pack": "PACK"}}, []string{"git_directories /root/mirror/.git/HEAD", "git_directories /srv/bare.git/objects/pack/pack-9.pack"}},
		{"the testbed is a repository", "{}", []layer{{"testbed/.git/HEAD": "ref: x\n"}}, []string{"git_directories /testbed/.git/HEAD"}},
		{"a build variable", `{"config": {"Env": ["GOPROXY=https://user:pass@proxy.invalid"]}}`, []layer{clean}, []string{"build_variables 0123.json"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Layers(bytes.NewReader(saved(t, c.config, c.layers...)), rules(t))
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, f := range got.Findings {
				names = append(names, f.Check+" "+f.Path)
			}
			if diff := cmp.Diff(c.want, names); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
			if got.Clean != (len(c.want) == 0) {
				t.Errorf("clean: %v with %d findings", got.Clean, len(got.Findings))
			}
		})
	}
}

// Newer engines write blobs by digest, and layers may be compressed.
func TestLayersOfTheNewLayout(t *testing.T) {
	body := archive(t, layer{
		"blobs/sha256/" + strings.Repeat("a", 64): gzipped(t, string(archive(t, layer{"tmp/x": lone1}))),
		"blobs/sha256/" + strings.Repeat("b", 64): `{"architecture": "amd64"}`,
		"index.json": `{}`,
	})
	got, err := Layers(bytes.NewReader(body), rules(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Findings) != 1 || got.Findings[0].Path != "/tmp/x" || got.Findings[0].Layer != "aaaaaaaaaaaa" {
		t.Errorf("findings: %v", got.Findings)
	}
}

func TestLinesOfTheBasesAreNoNeedles(t *testing.T) {
	r := rules(t, "x\n"+lone1, leak1+"y", leak2, leak3)
	got, err := Layers(bytes.NewReader(saved(t, "{}", layer{"x": leak1 + leak2 + leak3 + lone1})), r)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Findings) != 0 {
		t.Errorf("findings: %v", got.Findings)
	}
}

func TestAnImageWithoutLayersIsAnError(t *testing.T) {
	for name, body := range map[string][]byte{"empty": nil, "no layer": archive(t, layer{"manifest.json": "[]"}), "no tar": []byte(strings.Repeat("x", 2000))} {
		if _, err := Layers(bytes.NewReader(body), rules(t)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func FuzzLayers(f *testing.F) {
	f.Add([]byte("PK\x03\x04"), "x.zip")
	f.Add([]byte{0x1f, 0x8b, 8}, "a/node_modules/@s/lib/package.json")
	f.Fuzz(func(t *testing.T, body []byte, name string) {
		if name == "" || strings.HasSuffix(name, "/") || strings.Contains(name, "\x00") || strings.HasPrefix(string(body), "-> ") {
			return
		}
		if _, err := Layers(bytes.NewReader(saved(t, "{}", layer{name: string(body)})), rules(t)); err != nil {
			t.Errorf("a layer's content stopped the audit: %v", err)
		}
	})
}
