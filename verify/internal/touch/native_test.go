package touch

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"crossswe/schemas"
)

func TestNative(t *testing.T) {
	base := "#include <x>\nTEST(Area, Kept) {\n  one();\n}\nTEST(Area, Changed) {\n  one();\n}\nTEST_P(Sizes, Fit) {\n  one();\n}\n"
	head := "#include <x>\nTEST(Area, Kept) {\n  one();\n}\n+int helper();\nTEST(Area, Changed) {\n+  two();\n}\nTEST_P(Sizes, Fit) {\n+  two();\n}\n+TEST(Area, New) {\n+}\n+TYPED_TEST(Typed, Zero) {}\n"
	catch := "+TEST_CASE(\"adds, well\", \"[math]\") {\n+}\n+SCENARIO(\"a walk\") {\n+}\n"
	x := NewIndex([]File{
		file("t/area_test.cpp", base, head),
		file("t/catch.cc", "", catch),
		file("t/plain.c", "int main() {}\n", "int main() {\n+ x(); }\n"),
		file("t/fresh.c", "", "+int main() {}\n"),
	})
	got := map[string]schemas.Touch{}
	for _, id := range [][2]string{
		{"t/area_test.cpp", "Area.Kept"}, {"t/area_test.cpp", "Area.Changed"}, {"t/area_test.cpp", "Area.New"},
		{"t/runner", "Some/Sizes.Fit/2"}, {"t/runner", "Typed.Zero<int>"},
		{"t/catch.cc", "adds, well"}, {"t/catch.cc", "Scenario: a walk"},
		{"t/plain.c", "plain"}, {"t/fresh.c", "fresh"}, {"t/other.c", "other"},
	} {
		got[id[1]] = x.Of(schemas.NewTestID("o/r", id[0], []string{id[1]}, 1))
	}
	want := map[string]schemas.Touch{
		"Area.Kept": schemas.TouchUnchanged, "Area.Changed": schemas.TouchChanged, "Area.New": schemas.TouchNew,
		"Some/Sizes.Fit/2": schemas.TouchChanged, "Typed.Zero<int>": schemas.TouchNew,
		"adds, well": schemas.TouchNew, "Scenario: a walk": schemas.TouchNew,
		"plain": schemas.TouchChanged, "fresh": schemas.TouchNew, "other": schemas.TouchUnchanged,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("touches (-want +got):\n%s", diff)
	}
}

func FuzzNative(f *testing.F) {
	f.Add("TEST(A, B) {\n}\nTEST_CASE(\"x\\\"\") {\n", "A.B")
	f.Fuzz(func(t *testing.T, src, name string) {
		x := NewIndex([]File{{Head: []byte(src), Base: []byte(src)}, file("a.cpp", "", src)})
		x.Of(schemas.NewTestID("o/r", "a.cpp", []string{name}, 1))
	})
}
