package blame

import (
	"testing"

	"crossswe/schemas"
)

func pyWorld(source string) World {
	return World{
		Root: "/testbed/tide", Dir: "/testbed/tide",
		Siblings: []Sibling{{Dir: "/testbed/harbor", Names: []string{"harbor-core"}}},
		Source: func(file string) []byte {
			switch file {
			case "/testbed/harbor/src/harbor/__init__.py", "/testbed/tide/tide/__init__.py":
				return []byte{}
			case "/testbed/tide/tests/test_x.py":
				return []byte(source)
			}
			return nil
		},
	}
}

const pyHead = "ImportError while importing test module '/testbed/tide/tests/test_x.py'.\nTraceback:\n" +
	"/usr/local/lib/python3.11/importlib/__init__.py:126: in import_module\n    return _bootstrap._gcd_import(name[level:], package, level)\n" +
	"tests/test_x.py:1: in <module>\n    from x import y\n"

func TestPython(t *testing.T) {
	const uses, alone = "import os\nfrom harbor.api import quay\n", "import os, sys\nfrom tide import x\n"
	cases := map[string]struct {
		text, source string
		want         schemas.Failure
	}{
		"a name that the sibling lacks": {pyHead + "E   ImportError: cannot import name 'quay' from 'harbor.api' (/testbed/harbor/src/harbor/api.py)\n", "", schemas.FailureCompileSibling},
		"the same without a file":       {pyHead + "E   ImportError: cannot import name 'quay' from 'harbor_core' (unknown location)\n", "", schemas.FailureCompileSibling},
		"a module that the sibling lacks": {
			pyHead + "E   ModuleNotFoundError: No module named 'harbor.fresh'\n", "", schemas.FailureCompileSibling},
		"an attribute that the sibling lacks": {
			pyHead + "E   AttributeError: module 'harbor' has no attribute 'quay'\n", "", schemas.FailureCompileSibling},
		"through a module of its own": {
			pyHead + "tide/boat.py:3: in <module>\n    from harbor import quay\nE   ImportError: cannot import name 'quay' from 'harbor' (/testbed/harbor/src/harbor/__init__.py)\n", "", schemas.FailureCompileSibling},
		"an error that the sibling's code raises":   {pyHead + "/testbed/harbor/src/harbor/api.py:9: in quay\n    raise TypeError\nE   TypeError: quay() got an unexpected keyword argument 'deep'\n", alone, schemas.FailureCompileSibling},
		"a call of the sibling with a new argument": {pyHead + "E   TypeError: quay() got an unexpected keyword argument 'deep'\n", uses, schemas.FailureCompileSibling},
		"the same in a file that does not use it":   {pyHead + "E   TypeError: own() got an unexpected keyword argument 'deep'\n", alone, schemas.FailureCompileOwn},
		"a name of its own":                         {pyHead + "E   ImportError: cannot import name 'x' from 'tide' (/testbed/tide/tide/__init__.py)\n", uses, schemas.FailureCompileOwn},
		"a module of its own":                       {pyHead + "E   ModuleNotFoundError: No module named 'tide.fresh'\n", uses, schemas.FailureCompileOwn},
		"a syntax error":                            {"E     File \"/testbed/tide/tests/test_x.py\", line 1\nE       def test_x(:\nE   SyntaxError: invalid syntax\n", uses, schemas.FailureCompileOwn},
		"a name that a third party lacks":           {pyHead + "E   ImportError: cannot import name 'x' from 'json' (/usr/local/lib/python3.11/json/__init__.py)\n", uses, schemas.FailureThirdParty},
		"a third party that is not there":           {pyHead + "E   ModuleNotFoundError: No module named 'numpy'\n", uses, schemas.FailureThirdParty},
		"an error in a third party's code":          {pyHead + "/opt/venv/lib/python3.11/site-packages/x/y.py:3: in <module>\n    1/0\nE   ZeroDivisionError: division by zero\n", uses, schemas.FailureThirdParty},
		"a version that is not there":               {pyHead + "E   pkg_resources.DistributionNotFound: The 'x>=2' distribution was not found\n", uses, schemas.FailureResolution},
		"a traceback of the runner, which the sibling is": {
			"Traceback (most recent call last):\n  File \"/opt/venv/bin/pytest\", line 5, in <module>\n  File \"/testbed/harbor/src/harbor/main.py\", line 1, in <module>\nAttributeError: 'X' object has no attribute 'y'\n", "", schemas.FailureCompileSibling},
		"the runner is the sibling": {
			"  File \"/opt/venv/lib/python3.11/site-packages/pluggy/_callers.py\", line 7, in call\n  File \"/testbed/harbor/src/_pytest/config.py\", line 1, in x\nKeyError: 'y'\n", "", schemas.FailureCompileSibling},
		"the last error of a chain": {
			pyHead + "E   ImportError: cannot import name 'x' from 'json' (/usr/local/lib/python3.11/json/__init__.py)\n\nDuring handling of the above exception, another exception occurred:\ntests/test_x.py:5: in <module>\n    from harbor import quay\nE   ImportError: cannot import name 'quay' from 'harbor' (/testbed/harbor/src/harbor/__init__.py)\n", "", schemas.FailureCompileSibling},
		"nothing that is known": {"Killed\n", uses, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got, line := Load(schemas.RunnerPytest, []byte(c.text), pyWorld(c.source)); got != c.want {
				t.Errorf("Load = %q (%s), want %q, of\n%s", got, line, c.want, c.text)
			}
		})
	}
}

func FuzzPython(f *testing.F) {
	f.Add(pyHead+"E   ImportError: cannot import name 'x' from 'json' (/usr/x)\n", "import os, harbor as h\nfrom . import x\n")
	f.Fuzz(func(t *testing.T, text, source string) {
		failure, line := Load(schemas.RunnerPytest, []byte(text), pyWorld(source))
		if (failure == "") != (line == "") {
			t.Errorf("%q by the line %q", failure, line)
		}
	})
}
