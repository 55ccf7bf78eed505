package touch

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crossswe/internal/patch"
	"crossswe/schemas"
)

const javaBase = `package com.acme;

class ATest {
  @Test
  void stays() {
    assertEquals(1, one(2));
    return;
  }

  @Test
  void changes() { check("old"); }
}
`

const javaHead = `package com.acme;

class ATest {
  @Test
  void stays() {
    assertEquals(1, one(2));
    return;
  }

  @Test
  void changes() { check("new"); }

  /** Comes along. */
  @ParameterizedTest
  @ValueSource(strings = {
      "a", "b"})
  void comes(String s) throws Exception {
    check(s);
  }

  @Nested
  class In {
    @Test public void comesToo() {
    }
  }
}
`

func TestJava(t *testing.T) {
	touched := patch.Touched{Path: "core/src/test/java/com/acme/ATest.java", Lines: []patch.Range{{First: 11, Last: 11}, {First: 13, Last: 26}}}
	x := NewIndex([]File{{Touched: touched, Head: []byte(javaHead), Base: []byte(javaBase)}})
	got := map[string]schemas.Touch{}
	for _, name := range []string{"stays", "changes", "comes(String)[1]", "comes(String)[2]", "In > comesToo", "inherited"} {
		got[name] = x.Of(schemas.NewTestID("o/r", "core/com.acme.ATest", strings.Split(name, " > "), 1))
	}
	want := map[string]schemas.Touch{"stays": schemas.TouchUnchanged, "changes": schemas.TouchChanged, "comes(String)[1]": schemas.TouchNew,
		"comes(String)[2]": schemas.TouchNew, "In > comesToo": schemas.TouchNew, "inherited": schemas.TouchUnchanged}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("touches (-want +got):\n%s", diff)
	}
}
