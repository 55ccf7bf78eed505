package main

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

var root = fstest.MapFS{
	"testbed/cons/sub/go.mod": {Data: []byte("module example.com/cons/v2\n")},
	"tmp/go.json": {Data: []byte(`{"Action":"run","Package":"example.com/cons/v2/pkg","Test":"TestA/x y"}
{"Action":"output","Package":"example.com/cons/v2/pkg","Test":"TestA/x y","Output":"--- PASS: TestForged (0.00s)\n"}
{"Action":"fail","Package":"example.com/cons/v2/pkg","Test":"TestA/x y"}
{"Action":"run","Package":"example.com/cons/v2/pkg","Test":"TestB"}
{"Action":"pass","Package":"example.com/cons/v2/pkg","Test":"TestB"}
{"Action":"run","Package":"example.com/cons/v2/pkg","Test":"TestC"}
{"Action":"skip","Package":"example.com/cons/v2/pkg","Test":"TestC"}
FAIL	example.com/cons/v2/other [build failed]
`)},
	"tmp/go.err":     {Data: []byte("# example.com/cons/v2/other\nother/a.go:1:1: undefined: x\n")},
	"tmp/mocha.json": {Data: []byte(`noise {"stats":{},"tests":[{"title":"two\nlines","fullTitle":"s two\nlines","file":"/testbed/cons/t/a.js","duration":1,"err":{}}],"passes":[{"fullTitle":"s two\nlines","file":"/testbed/cons/t/a.js"}]}`)},
}

func TestLines(t *testing.T) {
	cases := map[string]struct {
		args, stdin, want string
		code              int
	}{
		"go, from a file": {
			args: "-repo o/cons -unit ./... -runner gotest -report /tmp/go.json -root /testbed/cons -dir sub -stderr /tmp/go.err",
			want: "--- FAIL: o/cons::sub/pkg::TestA/x y (0.00s)\n--- PASS: o/cons::sub/pkg::TestB (0.00s)\n--- SKIP: o/cons::sub/pkg::TestC (0.00s)\n--- FAIL: o/cons::sub/other::(load) (0.00s)\n",
		},
		"mocha, a title of two lines": {
			args: "-repo o/cons -unit t -runner mocha -report /tmp/mocha.json -root /testbed/cons -file t/a.js",
			want: "--- PASS: o/cons::t/a.js::s > two\\nlines (0.00s)\n",
		},
		"from standard input": {
			args: "-repo o/cons -unit t -runner nodetest -root /testbed/cons -file t/a.js", stdin: "TAP version 13\nok 1 - a # b\n1..1\n",
			want: "--- PASS: o/cons::t/a.js::a # b (0.00s)\n",
		},
		"no report at all": {
			args: "-repo o/cons -unit t -runner mocha -report /tmp/none.json -root /testbed/cons -file t/a.js",
			want: "--- FAIL: o/cons::t/a.js::(load) (0.00s)\n",
		},
		"a relative root":   {args: "-repo o/cons -runner gotest -root testbed", code: 2},
		"no repository":     {args: "-runner gotest -root /testbed/cons", code: 2},
		"an unknown flag":   {args: "-frob", code: 2},
		"a stray argument":  {args: "-repo o/cons -runner gotest -root /testbed/cons x", code: 2},
		"a missing stderr":  {args: "-repo o/cons -runner gotest -report /tmp/go.json -root /testbed/cons -stderr /tmp/none", code: 1},
		"an unknown runner": {args: "-repo o/cons -runner prove -report /tmp/go.json -root /testbed/cons", code: 2},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var out, errs bytes.Buffer
			code := program(strings.Fields(c.args), strings.NewReader(c.stdin), &out, &errs, root)
			if code != c.code || (code != 0) == (errs.Len() == 0) {
				t.Errorf("exit code %d, want %d; standard error %q", code, c.code, errs.String())
			}
			if diff := cmp.Diff(c.want, out.String()); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
			harness := regexp.MustCompile(`^--- (PASS|FAIL|SKIP): (.+) \((.+)\)$`)
			for line := range strings.Lines(out.String()) {
				if !harness.MatchString(strings.TrimSpace(line)) {
					t.Errorf("the harness does not read %q", line)
				}
			}
		})
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestWriteFails(t *testing.T) {
	var errs bytes.Buffer
	args := strings.Fields("-repo o/cons -runner gotest -report /tmp/go.json -root /testbed/cons")
	if code := program(args, nil, fullDisk{}, &errs, root); code != 1 || !strings.Contains(errs.String(), "no space left") {
		t.Errorf("exit code %d, standard error %q; want 1 and the reason", code, errs.String())
	}
}
