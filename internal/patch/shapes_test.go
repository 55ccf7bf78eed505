package patch_test

import (
	"fmt"
	"maps"
	"strings"

	. "crossswe/internal/gitrepo/gitrepotest"
)

// shape is a kind of change that must survive the split.
type shape struct {
	name         string
	before, both Files // both is the tree at head
	// gold and test name the paths that each patch must touch.
	gold, test []string
	// links and missing name the paths that neither touches.
	links []string
}

const ten = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"

var lfs = "version https://git-lfs.github.com/spec/v1\noid sha256:" + strings.Repeat("a", 64) + "\nsize 12345\n"

// shapes are all in one tree with a source and a test file that change too.
var shapes = []shape{
	{name: "source and test", before: Files{"x.go": Text(ten), "x_test.go": Text(ten)},
		both: Files{"x.go": Text(ten + "11\n"), "x_test.go": Text("0\n" + ten)}, gold: []string{"x.go"}, test: []string{"x_test.go"}},
	{name: "nothing", before: Files{"x.go": Text(ten)}, both: Files{"x.go": Text(ten)}},
	{name: "last newline goes", before: Files{"x.go": Text("a\nb\n")}, both: Files{"x.go": Text("a\nb")}, gold: []string{"x.go"}},
	{name: "last newline comes", before: Files{"x.go": Text("a\nb")}, both: Files{"x.go": Text("a\nb\n")}, gold: []string{"x.go"}},
	{name: "no last newline on either side", before: Files{"x.go": Text("a\nb")}, both: Files{"x.go": Text("a\nc")}, gold: []string{"x.go"}},
	{name: "CRLF", before: Files{"x.go": Text("a\r\nb\r\n")}, both: Files{"x.go": Text("a\r\nc\r\nd")}, gold: []string{"x.go"}},
	{name: "LF becomes CRLF", before: Files{"x.go": Text("a\nb\n")}, both: Files{"x.go": Text("a\r\nb\r\n")}, gold: []string{"x.go"}},
	{name: "CRLF and LF mixed", before: Files{"x.go": Text("a\r\nb\nc\r\n")}, both: Files{"x.go": Text("a\nb\r\nc\r\n")}, gold: []string{"x.go"}},
	{name: "lone CR", before: Files{"x.go": Text("a\rb\rc\nd\n")}, both: Files{"x.go": Text("a\rB\rc\nd\r\r\n")}, gold: []string{"x.go"}},
	{name: "only CR", before: Files{"x.go": Text("\r")}, both: Files{"x.go": Text("\r\r")}, gold: []string{"x.go"}},
	{name: "blanks at line ends", before: Files{"x.go": Text("a \n\t\nb\n")}, both: Files{"x.go": Text("a\n\n b \t\n")}, gold: []string{"x.go"}},
	{name: "other control bytes", before: Files{"x.go": Text("\x01\x0b\x0c\x1b[0m\n")}, both: Files{"x.go": Text("\x01\x0c\x7f\n\x1a")}, gold: []string{"x.go"}},
	{name: "Latin-1", before: Files{"x.go": Text("caf\xe9\n")}, both: Files{"x.go": Text("caf\xe8\xff\n")}, gold: []string{"x.go"}},
	{name: "Unicode line separators", before: Files{"x.go": Text("a\u2028b\u0085\n")}, both: Files{"x.go": Text("a\u2029b\u0085\n")}, gold: []string{"x.go"}},
	{name: "byte order mark", before: Files{"x.go": Text("a\n")}, both: Files{"x.go": Text("\ufeffa\n")}, gold: []string{"x.go"}},
	{name: "UTF-16", before: Files{"x.txt": Text("\xff\xfea\x00\n\x00")}, both: Files{"x.txt": Text("\xff\xfeb\x00\n\x00")}, gold: []string{"x.txt"}},
	{name: "binary", before: Files{"x.png": Text("\x00\x01" + ten)}, both: Files{"x.png": Text("\x00\x02" + ten + ten)}, gold: []string{"x.png"}},
	{name: "binary comes and goes", before: Files{"x.png": Text("\x00old")}, both: Files{"testdata/y.bin": Text("\x00new")},
		gold: []string{"x.png"}, test: []string{"testdata/y.bin"}},
	{name: "text becomes binary", before: Files{"x": Text("a\n")}, both: Files{"x": Text("a\n\x00")}, gold: []string{"x"}},
	{name: "empty files", before: Files{"gone": Text("")}, both: Files{"x_test.go": Text(""), "come": Text("")},
		gold: []string{"gone", "come"}, test: []string{"x_test.go"}},
	{name: "emptied", before: Files{"x.go": Text("a\n")}, both: Files{"x.go": Text("")}, gold: []string{"x.go"}},
	{name: "filled", before: Files{"x.go": Text("")}, both: Files{"x.go": Text("a")}, gold: []string{"x.go"}},
	{name: "only a line break", before: Files{"x.go": Text("\n")}, both: Files{"x.go": Text("\n\n")}, gold: []string{"x.go"}},
	{name: "deletion only", before: Files{"x.go": Text(ten), "y_test.go": Text(ten)}, both: Files{}, gold: []string{"x.go"}, test: []string{"y_test.go"}},
	{name: "mode only", before: Files{"x.sh": Text("a\n")}, both: Files{"x.sh": Exec("a\n")}, gold: []string{"x.sh"}},
	{name: "mode and content", before: Files{"x.sh": Exec("a\n")}, both: Files{"x.sh": Text("b\n")}, gold: []string{"x.sh"}},
	{name: "mode of a test", before: Files{"tests/x.sh": Text("a\n")}, both: Files{"tests/x.sh": Exec("a\n")}, test: []string{"tests/x.sh"}},
	{name: "rename", before: Files{"x.go": Text(ten)}, both: Files{"y.go": Text(ten)}, gold: []string{"y.go"}},
	{name: "rename with an edit and a mode", before: Files{"a b.go": Text(ten)}, both: Files{"d/c\t.go": Exec(ten + "11\n")}, gold: []string{"d/c\t.go"}},
	{name: "rename of a test", before: Files{"x_test.go": Text(ten)}, both: Files{"y_test.go": Text(ten)}, test: []string{"y_test.go"}},
	{name: "rename from source to test", before: Files{"x.go": Text(ten)}, both: Files{"x_test.go": Text(ten)},
		gold: []string{"x.go"}, test: []string{"x_test.go"}},
	{name: "rename from test to source", before: Files{"testdata/x.c": Text(ten)}, both: Files{"x.c": Text(ten)},
		gold: []string{"x.c"}, test: []string{"testdata/x.c"}},
	{name: "rename of a binary", before: Files{"x.bin": Text("\x00" + ten)}, both: Files{"y.bin": Text("\x00" + ten)}, gold: []string{"y.bin"}},
	{name: "two names exchanged", before: Files{"x.go": Text(ten), "y.go": Text("other\n")}, both: Files{"y.go": Text(ten), "x.go": Text("other\n")},
		gold: []string{"x.go", "y.go"}},
	{name: "copy", before: Files{"x.go": Text(ten)}, both: Files{"x.go": Text(ten + "11\n"), "y.go": Text(ten), "z_test.go": Text(ten)},
		gold: []string{"x.go", "y.go"}, test: []string{"z_test.go"}},
	{name: "symlink", before: Files{"l": Symlink("x"), "gone": Symlink("x")}, both: Files{"l": Symlink("a/b"), "new": Symlink("../out side")},
		gold: []string{"gone", "l", "new"}},
	{name: "file becomes symlink", before: Files{"x.go": Text(ten)}, both: Files{"x.go": Symlink("y.go")}, gold: []string{"x.go"}},
	{name: "symlink becomes file", before: Files{"x_test.go": Symlink("y")}, both: Files{"x_test.go": Text(ten)}, test: []string{"x_test.go"}},
	{name: "file becomes directory", before: Files{"x": Text(ten)}, both: Files{"x/y": Text(ten), "x/z": Text("z\n")}, gold: []string{"x/y", "x/z"}},
	{name: "directory becomes file", before: Files{"x/y": Text(ten), "x/z": Text("z\n")}, both: Files{"x": Text("new\n")}, gold: []string{"x", "x/y", "x/z"}},
	{name: "source file gives way to a test directory", before: Files{"tool": Text("a\n")}, both: Files{"tool/x_test.go": Text("t\n")},
		test: []string{"tool", "tool/x_test.go"}},
	{name: "test directory gives way to a source file", before: Files{"tool/x_test.go": Text("t\n")}, both: Files{"tool": Text("a\n")},
		gold: []string{"tool", "tool/x_test.go"}},
	{name: "symlink becomes directory", before: Files{"x": Symlink("y"), "y/a": Text("a\n")}, both: Files{"x/a": Text("b\n"), "y/a": Text("a\n")},
		gold: []string{"x", "x/a"}},
	{name: "submodule moves, comes and goes", before: Files{"m": Gitlink("1"), "gone": Gitlink("2"), "x.go": Text("a\n")},
		both: Files{"m": Gitlink("3"), "new": Gitlink("4"), "x.go": Text("b\n")}, gold: []string{"x.go"}, links: []string{"gone", "m", "new"}},
	{name: "submodule becomes directory", before: Files{"m": Gitlink("1")}, both: Files{"m/a.c": Text("a\n"), "m/test.c": Text("a\n")},
		gold: []string{"m/a.c"}, test: []string{"m/test.c"}, links: []string{"m"}},
	{name: "directory becomes submodule", before: Files{"m/a.c": Text("a\n")}, both: Files{"m": Gitlink("1")}, gold: []string{"m/a.c"}, links: []string{"m"}},
	{name: "file becomes submodule and back", before: Files{"m": Text("a\n"), "n": Gitlink("1")}, both: Files{"m": Gitlink("1"), "n": Text("a\n")},
		gold: []string{"m", "n"}, links: []string{"m", "n"}},
	{name: "LFS pointer", before: Files{"x.psd": Text(lfs)}, both: Files{"x.psd": Text(strings.Replace(lfs, "123", "9", 1)), ".gitattributes": Text("*.psd filter=lfs -text\n")},
		gold: []string{".gitattributes", "x.psd"}},
	{name: "attributes that would change the diff", before: Files{".gitattributes": Text("*.lock -diff\n*.go diff=golang eol=crlf\n"), "x.lock": Text("a\n"), "x.go": Text("a\n")},
		both: Files{".gitattributes": Text("* binary\n"), "x.lock": Text("b\n"), "x.go": Text("b\n")}, gold: []string{".gitattributes", "x.go", "x.lock"}},
	{name: "quoted paths", before: oddPaths("a\n"), both: oddPaths("b\n"), gold: slicesOfKeys(oddPaths(""))},
	{name: "quoted paths come", before: Files{}, both: oddPaths("b\n"), gold: slicesOfKeys(oddPaths(""))},
	{name: "quoted paths go, empty", before: oddPaths(""), both: Files{}, gold: slicesOfKeys(oddPaths(""))},
	{name: "content that looks like a patch",
		before: Files{"x.c": Text("-- a/x\n++ b/x\n@ -1 +1 @@\ndiff --git a/x b/x\n")},
		both:   Files{"x.c": Text("- a/x\ndiff --git a/y b/y\n+ b/x\n@@ -1 +1 @@\n\\ No newline at end of file")}, gold: []string{"x.c"}},
	{name: "long lines", before: Files{"x.c": Text(strings.Repeat("long ", 1<<17) + "\n")}, both: Files{"x.c": Text(strings.Repeat("long ", 1<<17) + "er\n")}, gold: []string{"x.c"}},
	{name: "more than 300 files", before: many("a\n", 0), both: many("b\n", 5), gold: slicesOfKeys(many("", 5))},
}

func oddPaths(content string) Files {
	files := Files{}
	for i, path := range []string{"a b.c", " lead.c", "trail .c ", "tab\t.c", "new\nline.c", `quo"te.c`, `back\slash.c`, "é.c", "\xff.c", "日本/語.c",
		"-dash.c", "a/b/a/b.c", "x b/x.c", "\x7f.c", "\a\b\v\f\r.c", "'.c", "$(x).c", "*.c", ":(top).c", "~.c", "日本 語.c", "dev/null.c"} {
		if content == "" {
			files[path] = Text("")
			continue
		}
		files[path] = Text(fmt.Sprintf("%d\n%s", i, content))
	}
	return files
}

func many(content string, more int) Files {
	files := Files{}
	for i := range 400 + more {
		files[fmt.Sprintf("d%d/f%d.c", i%7, i)] = Text(fmt.Sprintf("%d\n%s", i, content))
	}
	return files
}

func slicesOfKeys(files Files) []string {
	var keys []string
	for k := range maps.Keys(files) {
		keys = append(keys, k)
	}
	return keys
}
