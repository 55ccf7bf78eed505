package touch

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"crossswe/schemas"
)

const rustBase = `use x;

fn helper() {}

#[test]
fn kept() {
    assert_eq!("fn changed() {", r#"}"#); // }
}

/* fn gone() { /* } */ } */
#[test]
fn changed() {
    let c = '{';
}

named_test!(by_macro, 1);
named_test!(left_alone, 1);
`

const rustHead = `use x;

fn helper() {}

#[test]
fn kept() {
    assert_eq!("fn changed() {", r#"}"#); // }
}

/* fn gone() { /* } */ } */
#[test]
fn changed() {
+    let c = '}';
}

+#[test]
+#[ignore]
+fn fresh<'a>(x: [u8; 2]) -> &'a str {
+    "a"
+}

+named_test!(by_macro, 2);
named_test!(left_alone, 1);
+named_test!(new_by_macro, 2);

#[rstest]
+#[case(3)]
fn cases(#[case] n: u8) {}
`

func TestRustFiles(t *testing.T) {
	x := NewIndex([]File{
		file("core/tests/api.rs", rustBase, rustHead),
		file("core/src/tests.rs", "", "+#[test]\n+fn in_a_new_file() {}\n"),
	})
	want := map[schemas.TestID]schemas.Touch{
		"o/r::core/tests/runners/api.rs::with::tests::kept":    schemas.TouchUnchanged,
		"o/r::core/tests/runners/api.rs::with::tests::changed": schemas.TouchChanged,
		"o/r::core/tests/runners/api.rs::with::tests::fresh":   schemas.TouchNew,
		"o/r::core/tests/runners/api.rs::by_macro":             schemas.TouchChanged,
		"o/r::core/tests/runners/api.rs::new_by_macro":         schemas.TouchNew,
		"o/r::core/tests/runners/api.rs::left_alone":           schemas.TouchUnchanged,
		"o/r::core/tests/runners/api.rs::cases::case_1":        schemas.TouchNew,
		"o/r::core/tests/runners/api.rs::gone":                 schemas.TouchUnchanged,
		"o/r::other/tests/api.rs::fresh":                       schemas.TouchUnchanged,
		"o/r::core/src/lib.rs::tests::in_a_new_file":           schemas.TouchNew,
		"o/r::core/src/lib.rs::core/src/lib.rs - fresh":        schemas.TouchUnchanged,
		"o/r::core/tests/runners/api.rs::(load)":               schemas.TouchUnchanged,
	}
	got := map[schemas.TestID]schemas.Touch{}
	for id := range want {
		got[id] = x.Of(id)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("touched tests (-want +got):\n%s", diff)
	}
}

func FuzzRust(f *testing.F) {
	f.Add(rustBase, rustHead)
	f.Add("fn a() { b'\\'' r##\"\"# /*", "+fn b(\n+'\\u{41}'")
	f.Fuzz(func(t *testing.T, base, head string) {
		x := NewIndex([]File{file("src/a.rs", base, head)})
		x.Of("o/r::src/lib.rs::a")
		if got := rustBlank([]byte(head)); len(got) != len(head) {
			t.Errorf("%d bytes became %d", len(head), len(got))
		}
	})
}
