package touch

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crossswe/internal/patch"
	"crossswe/schemas"
)

// file makes a File from its text before and after. Lines of head that begin
// with "+" are touched; the mark is taken off.
func file(name, base, marked string) File {
	f := File{Touched: patch.Touched{Path: name, New: base == ""}}
	if base != "" {
		f.Base = []byte(base)
	}
	var head []string
	for n, line := range strings.Split(marked, "\n") {
		rest, touched := strings.CutPrefix(line, "+")
		if touched {
			f.Touched.Lines = append(f.Touched.Lines, patch.Range{First: n + 1, Last: n + 1})
		}
		head = append(head, rest)
	}
	f.Head = []byte(strings.Join(head, "\n"))
	return f
}

const goBase = `package p

var table = []int{1}

func helper() {}

func TestKept(t *testing.T) {
	helper()
}

func TestChanged(t *testing.T) {
	helper()
}

func TestTable(t *testing.T) {
	for range table {
	}
}

func (s *Suite) TestMethod() {
	helper()
}
`

const goHead = `package p

+var table = []int{1, 2}

+func helper() { more() }

func TestKept(t *testing.T) {
	helper()
}

func TestChanged(t *testing.T) {
+	helper2()
}

func TestTable(t *testing.T) {
	for range table {
	}
}

+func TestNew(t *testing.T) {
+	helper()
+}

func (s *Suite) TestMethod() {
+	helper2()
}

+func ExampleNew() {
+	// Output: x
+}
`

const jsBase = `describe('outer', function () {
  it('kept', () => {
    f();
  });
  it('changed', () => {
    f();
  });
  it("kept 'too'", () => {});
});
`

const jsHead = `describe('outer', function () {
  it('kept', () => {
    f();
  });
  it('changed', () => {
+    g();
  });
+  it.only('new \'one\'', async () => {
+    g();
+  });
+  it(` + "`template ${x} title`" + `, () => {});
+  it.each([[1, 2]])('adds %i to %i', () => {});
  it("kept 'too'", () => {});
});
ruleTester.run('r', rule, {
  valid: [
+    "var fresh = 1;",
    "var stale = 1;",
  ],
});
`

func TestOf(t *testing.T) {
	x := NewIndex([]File{
		file("sub/a_test.go", goBase, goHead),
		file("fresh_test.go", "", "+package p\n+func TestFresh(t *testing.T) {}\n"),
		file("broken_test.go", "package p\n", "package p\nfunc TestHalf(t *testing.T) {\n+\tx(\n"),
		file("test/a.js", jsBase, jsHead),
		file("test/b.ts", "", "+it('anything', () => {});\n"),
		file("testdata/x.txt", "a", "+b"),
	})
	want := map[schemas.TestID]schemas.Touch{
		"o/r::sub::TestKept":                         schemas.TouchUnchanged,
		"o/r::sub::TestChanged":                      schemas.TouchChanged,
		"o/r::sub::TestChanged/a/b":                  schemas.TouchChanged,
		"o/r::sub::TestTable":                        schemas.TouchChanged,
		"o/r::sub::TestNew":                          schemas.TouchNew,
		"o/r::sub::ExampleNew":                       schemas.TouchNew,
		"o/r::sub::TestSuite/TestMethod":             schemas.TouchChanged,
		"o/r::sub::TestSuite/TestOther":              schemas.TouchUnchanged,
		"o/r::.::TestFresh":                          schemas.TouchNew,
		"o/r::other::TestNew":                        schemas.TouchUnchanged,
		"o/r::sub::(load)":                           schemas.TouchUnchanged,
		"o/r::test/a.js::outer > kept":               schemas.TouchUnchanged,
		"o/r::test/a.js::outer > changed":            schemas.TouchChanged,
		"o/r::test/a.js::outer > kept 'too'":         schemas.TouchUnchanged,
		"o/r::test/a.js::outer > new 'one'":          schemas.TouchNew,
		"o/r::test/a.js::outer > new 'one' #2":       schemas.TouchNew,
		"o/r::test/a.js::outer > adds 1 to 2":        schemas.TouchNew,
		"o/r::test/a.js::r > valid > var fresh = 1;": schemas.TouchNew,
		"o/r::test/a.js::r > valid > var stale = 1;": schemas.TouchUnchanged,
		"o/r::test/b.ts::anything":                   schemas.TouchNew,
		"o/r::test/c.ts::anything":                   schemas.TouchUnchanged,
	}
	got := map[schemas.TestID]schemas.Touch{}
	for id := range want {
		got[id] = x.Of(id)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("touches (-want +got):\n%s", diff)
	}
}

func FuzzIndex(f *testing.F) {
	f.Add("a_test.go", goBase, goHead, "TestNew")
	f.Add("a.js", jsBase, jsHead, "outer > new")
	f.Fuzz(func(t *testing.T, name, base, head, test string) {
		x := NewIndex([]File{file(name, base, head)})
		if got := x.Of(schemas.TestID(fmt.Sprintf("o/r::%s::%s", name, test))); got == "" {
			t.Errorf("no touch for %q", test)
		}
	})
}
