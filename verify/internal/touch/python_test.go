package touch

import (
	"testing"

	"crossswe/schemas"
)

const pyBase = `import pytest


def helper():
    return 1


def test_kept():
    helper()


@pytest.mark.parametrize("x", [1])
def test_table(x):
    pass


def test_changed(
    tmp_path,
):
    helper()


class TestA:
    def test_method(self):
        pass

    def test_other(self):
        pass


class Base:
    def test_inherited(self):
        assert 1
`

const pyHead = `import pytest


+def helper():
+    return 2


def test_kept():
    helper()


+@pytest.mark.parametrize("x", [1, 2])
def test_table(x):
    pass


def test_changed(
    tmp_path,
):
+    helper() and 2

+
+async def test_added():
+    pass
+

class TestA:
    def test_method(self):
+        assert 2

    def test_other(self):
        pass

+    class TestInner:
+        def test_method(self):
+            pass


class Base:
    def test_inherited(self):
+        assert 2
`

func TestPython(t *testing.T) {
	x := NewIndex([]File{file("t/test_a.py", pyBase, pyHead), file("t/test_new.py", "", "def test_x():\n    pass\n")})
	for name, want := range map[string]schemas.Touch{
		"test_kept":                       schemas.TouchUnchanged,
		"test_table[2]":                   schemas.TouchChanged,
		"test_changed":                    schemas.TouchChanged,
		"test_added":                      schemas.TouchNew,
		"TestA > test_method":             schemas.TouchChanged,
		"TestA > test_other":              schemas.TouchUnchanged,
		"TestA > TestInner > test_method": schemas.TouchNew,
		"TestDerived > test_inherited":    schemas.TouchChanged,
		"test_elsewhere":                  schemas.TouchUnchanged,
		"(load)":                          schemas.TouchUnchanged,
	} {
		id := schemas.TestID("o/r::t/test_a.py::" + name)
		if got := x.Of(id); got != want {
			t.Errorf("%s: got %s, want %s", id, got, want)
		}
	}
	if got := x.Of("o/r::t/test_new.py::test_x"); got != schemas.TouchNew {
		t.Errorf("a test of a new file: got %s", got)
	}
}

func FuzzPython(f *testing.F) {
	f.Add(pyBase, pyHead, "TestA > test_method")
	f.Fuzz(func(t *testing.T, base, head, name string) {
		x := NewIndex([]File{file("t.py", base, head)})
		switch got := x.Of(schemas.TestID("o/r::t.py::" + name)); got {
		case schemas.TouchNew, schemas.TouchChanged, schemas.TouchUnchanged:
		default:
			t.Errorf("got %q", got)
		}
	})
}
