package blame

import (
	"testing"

	"crossswe/schemas"
)

// goWorld is a consumer of the sibling github.com/o/sib/v2 and of third parties.
func goWorld(source string) World {
	return World{
		Root: "/testbed/cons", Dir: "/testbed/cons", Patched: true, Module: "github.com/o/cons",
		Siblings: []Sibling{{Dir: "/testbed/sib", Names: []string{"github.com/o/sib/v2"}}},
		Source: func(file string) []byte {
			if source == "" {
				return nil
			}
			return []byte(source)
		},
	}
}

const usesSibling = `package a
import (
	"testing"
	"github.com/third/x"
	renamed "github.com/o/sib/v2/api"
)
`

const usesThird = `package a
import (
	"testing"
	"github.com/third/x"
	"github.com/o/cons/helper"
)
`

func TestGo(t *testing.T) {
	cases := map[string]struct {
		text, source string
		want         schemas.Failure
	}{
		"a name that the sibling lacks": {"# p\na/a_test.go:3:32: undefined: renamed.Fresh\n", usesSibling, schemas.FailureCompileSibling},
		"the same without the source":   {"# p\na/a_test.go:3:32: undefined: sib.Fresh\n", "", schemas.FailureCompileSibling},
		"a method that a sibling's type lacks": {
			`a/a.go:3:41: renamed.New("x").GracefulClose undefined (type *renamed.Agent has no field or method GracefulClose)`, usesSibling, schemas.FailureCompileSibling},
		"a method of a wrapped sibling's type": {
			"a/a.go:5:20: w.Gone undefined (type wrap has no field or method Gone)", usesSibling, schemas.FailureCompileSibling},
		"an unknown field":   {"a/a.go:3:105: unknown field Fresh in struct literal of type renamed.Agent", usesSibling, schemas.FailureCompileSibling},
		"too many arguments": {"a/a.go:3:129: too many arguments in call to renamed.New\n\thave (string, number)\n\twant (string)", usesSibling, schemas.FailureCompileSibling},
		"a sibling's type by its full path": {
			`a/a.go:3:1: cannot use c (variable of type *"github.com/o/sib/v2/api".Conn) as io.Reader value in argument to f`, usesThird, schemas.FailureCompileSibling},
		"types of a third party at odds through the sibling": {
			`settingengine.go:9:3: cannot use net (variable of type "github.com/third/x/v4".Net) as "github.com/third/x/v3".Net value in struct literal`, usesSibling, schemas.FailureCompileSibling},
		"an error in the sibling's code":   {"# github.com/o/sib/v2/bad\n../sib/bad/z.go:2:12: undefined: y\n", usesThird, schemas.FailureCompileSibling},
		"a package that the sibling lacks": {"a/a_test.go:2:20: no required module provides package github.com/o/sib/v2/fresh; to add it:\n\tgo get github.com/o/sib/v2/fresh\n", usesSibling, schemas.FailureCompileSibling},
		"the sibling's next major version": {"a/a_test.go:2:20: no required module provides package github.com/o/sib/v3/api; to add it:\n\tgo get github.com/o/sib/v3/api\n", "", schemas.FailureCompileSibling},
		"an internal package of the sibling": {
			"package github.com/o/cons/a (test)\n\ta/a_test.go:2:20: use of internal package github.com/o/sib/v2/internal/z not allowed\n", "", schemas.FailureCompileSibling},
		"a name of its own":                            {"own/a_test.go:3:28: undefined: fresh\n", usesSibling, schemas.FailureCompileOwn},
		"a package of its own":                         {"a/a_test.go:2:20: no required module provides package github.com/o/cons/fresh; to add it:\n\tgo get x\n", "", schemas.FailureCompileOwn},
		"a name of its own package":                    {"a/a_test.go:3:1: undefined: helper.New\n", usesThird, schemas.FailureCompileOwn},
		"a name that a third party lacks":              {"a/a_test.go:3:30: undefined: x.Do\n", usesSibling, schemas.FailureThirdParty},
		"an error in a third party's code":             {"# github.com/third/x\n/go/pkg/mod/github.com/third/x@v1.2.3/x.go:4:1: undefined: unsafe.Foo\n", "", schemas.FailureThirdParty},
		"an error in an installed copy of the sibling": {"/go/pkg/mod/github.com/o/sib/v2@v2.1.0/x.go:4:1: undefined: y\n", "", schemas.FailureCompileSibling},
		"a package that nobody has":                    {"a/a_test.go:2:20: no required module provides package github.com/nobody/thing; to add it:\n\tgo get x\n", "", schemas.FailureResolution},
		"a missing sum":                                {"a/a.go:3:1: missing go.sum entry for module providing package github.com/third/x (imported by y); to add:\n\tgo get", "", schemas.FailureResolution},
		"no network for the proxy":                     {"go: github.com/third/x@v1.9.0: module lookup disabled by GOPROXY=off\n", "", schemas.FailureResolution},
		"a go line that is too new":                    {"go: module ../sib listed in go.work file requires go >= 1.99, but go.work lists go 1.21; to update it:\n\tgo work use\n", "", schemas.FailureResolution},
		"the sibling is named among others":            {"a/a_test.go:3:1: undefined: fresh\na/a_test.go:4:1: undefined: renamed.Fresh\n", usesSibling, schemas.FailureCompileSibling},
		"nothing that is known":                        {"signal: killed\n", "", ""},
		"text of a test":                               {"FAIL\tgithub.com/o/cons/a [build failed]\n", "", ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got, line := Load(schemas.RunnerGo, []byte(c.text), goWorld(c.source)); got != c.want {
				t.Errorf("Load(%q) = %q (%s), want %q", c.text, got, line, c.want)
			}
		})
	}
}

func jsWorld(source string) World {
	return World{
		Root: "/testbed/eslint", Dir: "/testbed/eslint",
		Siblings: []Sibling{{Dir: "/testbed/js", Names: []string{"espree", "@eslint/js"}}},
		Source:   func(string) []byte { return []byte(source) },
	}
}

// TestOwnTypes: a member that a type of the package lacks is the repository's
// own lack, unless its own patch is there.
func TestOwnTypes(t *testing.T) {
	for _, text := range []string{
		"a/a.go:5:20: w.Gone undefined (type wrap has no field or method Gone)",
		"a/a.go:5:20: (&Wrap{}).Gone undefined (type *Wrap has no field or method Gone)",
		"a/a.go:5:20: unknown field Gone in struct literal of type Wrap",
	} {
		for patched, want := range map[bool]schemas.Failure{true: schemas.FailureCompileSibling, false: schemas.FailureCompileOwn} {
			w := goWorld(usesSibling)
			w.Patched = patched
			if got, _ := Load(schemas.RunnerGo, []byte(text), w); got != want {
				t.Errorf("%s, patched %t: %q, want %q", text, patched, got, want)
			}
		}
	}
}

// TestThirdPartyTypes: two versions of a third party's type at odds are the
// repository's own lack as long as its product was not moved to the new one.
func TestThirdPartyTypes(t *testing.T) {
	text := []byte("a/a_test.go:5:2: cannot use net (variable of type x.Net) as x.Old value in argument to take")
	for patched, want := range map[bool]schemas.Failure{true: schemas.FailureThirdParty, false: schemas.FailureCompileOwn} {
		w := goWorld(usesThird)
		w.Patched = patched
		if got, _ := Load(schemas.RunnerGo, text, w); got != want {
			t.Errorf("patched %t: %q, want %q", patched, got, want)
		}
	}
}

func TestJavaScript(t *testing.T) {
	cases := map[string]struct {
		text, source string
		want         schemas.Failure
	}{
		"CommonJS, a relative module of its own": {
			"Error: Cannot find module './missing'\nRequire stack:\n- /testbed/eslint/m/b.js\n    at Function._resolveFilename (node:internal/modules/cjs/loader:1430:15)\n", "", schemas.FailureCompileOwn},
		"CommonJS, asked for by the sibling": {
			"Error: Cannot find module './fresh'\nRequire stack:\n- /testbed/js/packages/espree/lib/a.js\n- /testbed/eslint/m/b.js\n", "", schemas.FailureCompileSibling},
		"CommonJS, asked for by a third party": {
			"Error: Cannot find module './x'\nRequire stack:\n- /testbed/eslint/node_modules/acorn/a.js\n", "", schemas.FailureThirdParty},
		"a third party that is not installed": {"Error: Cannot find module 'chai'\nRequire stack:\n- /testbed/eslint/t.js\n", "", schemas.FailureThirdParty},
		"the sibling itself":                  {"Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'espree' imported from /testbed/eslint/t.mjs\n", "", schemas.FailureCompileSibling},
		"a file of the sibling, linked":       {"Error: Cannot find module '/testbed/eslint/node_modules/espree/lib/fresh.js'\n", "", schemas.FailureCompileSibling},
		"a file of a scoped sibling":          {"Error: Cannot find module '@eslint/js/src/fresh'\n", "", schemas.FailureCompileSibling},
		"ESM, a file of its own": {
			"Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/testbed/eslint/lib/fresh.js' imported from /testbed/eslint/tests/a.js\n", "", schemas.FailureCompileOwn},
		"a subpath that the sibling does not export": {
			`Error [ERR_PACKAGE_PATH_NOT_EXPORTED]: Package subpath './fresh' is not defined by "exports" in /testbed/js/packages/espree/package.json`, "", schemas.FailureCompileSibling},
		"a name that the sibling does not export": {
			"file:///testbed/eslint/t.mjs:2\nimport { fresh } from 'espree';\n         ^^^^^\nSyntaxError: The requested module 'espree' does not provide an export named 'fresh'\n", "", schemas.FailureCompileSibling},
		"a name that a third party does not export": {
			"SyntaxError: The requested module 'acorn' does not provide an export named 'fresh'\n", "", schemas.FailureThirdParty},
		"a name that its own module does not export": {
			"file:///testbed/eslint/tests/t.mjs:2\nSyntaxError: The requested module '../lib/x.js' does not provide an export named 'fresh'\n", "", schemas.FailureCompileOwn},
		"a name that a CommonJS sibling lacks": {
			"SyntaxError: Named export 'fresh' not found. The requested module 'espree' is a CommonJS module, which may not support all module.exports as named exports.\n", "", schemas.FailureCompileSibling},
		"jest's words": {"    Cannot find module './missing' from 'j/b.test.js'\n", "", schemas.FailureCompileOwn},
		"thrown while loading a file that uses the sibling": {
			" Exception during run: TypeError: fresh is not a function\n    at Suite.<anonymous> (/testbed/eslint/m/e.js:1:66)\n    at Object.create (/testbed/eslint/node_modules/mocha/lib/interfaces/common.js:153:19)\n",
			"const { fresh } = require('espree');", schemas.FailureCompileSibling},
		"thrown while loading a file of its own": {
			"TypeError: fresh is not a function\n    at Suite.<anonymous> (/testbed/eslint/m/e.js:1:66)\n", "const { fresh } = require('../lib');", schemas.FailureCompileOwn},
		"thrown by the sibling": {
			"TypeError: x is undefined\n    at parse (/testbed/js/packages/espree/espree.js:1:66)\n", "", schemas.FailureCompileSibling},
		"thrown by a third party": {
			"TypeError: x is undefined\n    at parse (file:///testbed/eslint/node_modules/acorn/a.mjs:1:66)\n", "", schemas.FailureThirdParty},
		"a type that the sibling does not export": {
			`tests/a.ts(3,10): error TS2305: Module '"espree"' has no exported member 'Fresh'.`, "", schemas.FailureCompileSibling},
		"a property of a sibling's type": {
			`tests/a.ts:3:10 - error TS2339: Property 'fresh' does not exist on type 'Parser'.`, "import { Parser } from \"espree\";", schemas.FailureCompileSibling},
		"a name of its own in TypeScript": {`tests/a.ts(3,10): error TS2304: Cannot find name 'fresh'.`, "import 'espree'", schemas.FailureCompileOwn},
		"npm finds no version":            {"npm error code ERESOLVE\nnpm error ERESOLVE unable to resolve dependency tree\n", "", schemas.FailureResolution},
		"a failed assertion":              {"1 == 2\n", "", ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got, line := Load(schemas.RunnerMocha, []byte(c.text), jsWorld(c.source)); got != c.want {
				t.Errorf("Load(%q) = %q (%s), want %q", c.text, got, line, c.want)
			}
		})
	}
}

func FuzzLoad(f *testing.F) {
	f.Add("a/a.go:1:1: undefined: x.Y\n\tgo get", "package a\nimport \"x\"")
	f.Add("Error: Cannot find module './x'\nRequire stack:\n- /testbed/js/a.js\n    at f (/a/b.js:1:2)", "require('espree')")
	f.Fuzz(func(t *testing.T, text, source string) {
		for _, runner := range []schemas.Runner{schemas.RunnerGo, schemas.RunnerMocha} {
			if got, line := Load(runner, []byte(text), goWorld(source)); (got == "") != (line == "") && got != "" {
				t.Errorf("%q without a line", got)
			}
		}
	})
}
