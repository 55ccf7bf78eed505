package e2e

// python is a provider with its code below src, whose version git would tell, and
// a consumer that pins it and whose tests are unittest's. The trap is a copy of
// the provider in the consumer's tree: Python looks there first.
var python = ecosystem{
	name: "python",
	provider: change{
		repo: "tide-example/harbor",
		base: map[string]string{
			".gitignore": "*.egg-info\n__pycache__/\n",
			"pyproject.toml": `
[build-system]
requires = ["setuptools>=64", "setuptools-scm>=8"]
build-backend = "setuptools.build_meta"

[project]
name = "Tide.Harbor"
dynamic = ["version"]
requires-python = ">=3.9"
classifiers = ["Programming Language :: Python :: 3.11", "Programming Language :: Python :: 3.12"]
dependencies = []

[project.optional-dependencies]
test = ["pytest>=7"]

[tool.setuptools_scm]
`,
			"src/tide_harbor/__init__.py": `
"""What is known of harbours."""


def name(berth):
    return "berth %d" % berth
`,
			"tests/test_harbor.py": `
import tide_harbor


def test_name():
    assert tide_harbor.name(3) == "berth 3"
`,
		},
		head: map[string]string{
			"src/tide_harbor/__init__.py": `
"""What is known of harbours."""


def name(berth):
    return "berth %d" % berth


def depth_at_low_water(berth):
    """Return the metres of water that are left when the tide is out."""
    return 4 + berth % 3
`,
			"tests/test_harbor.py": `
import tide_harbor


def test_name():
    assert tide_harbor.name(3) == "berth 3"


def test_depth():
    assert tide_harbor.depth_at_low_water(2) == 6
`,
		},
	},
	consumer: change{
		repo: "tide-example/pilot",
		base: map[string]string{
			"setup.cfg": `
[metadata]
name = tide-pilot
version = 0.1
classifiers =
    Programming Language :: Python :: 3.11
[options]
packages = tide_pilot
install_requires =
    tide-harbor==1.0.0
`,
			"setup.py": `
from setuptools import setup

setup()
`,
			".gitignore":             "*.egg-info\n__pycache__/\n",
			"tide_pilot/__init__.py": "from .route import plan\n",
			"tide_pilot/route.py": `
import tide_harbor


def plan(berth, draught):
    return "to " + tide_harbor.name(berth)
`,
			"tests/test_route.py": `
import unittest

import tide_pilot


class RouteTest(unittest.TestCase):
    def test_plan(self):
        self.assertEqual(tide_pilot.plan(1, 2), "to berth 1")
`,
		},
		head: map[string]string{
			"setup.cfg": `
[metadata]
name = tide-pilot
version = 0.1
classifiers =
    Programming Language :: Python :: 3.11
[options]
packages = tide_pilot
install_requires =
    tide-harbor>=1.1.0
`,
			"tide_pilot/route.py": `
import tide_harbor


def plan(berth, draught):
    if draught > tide_harbor.depth_at_low_water(berth):
        return "wait for high water"
    return "to " + tide_harbor.name(berth)
`,
			"tests/test_route.py": `
import unittest

import tide_pilot


class RouteTest(unittest.TestCase):
    def test_plan(self):
        self.assertEqual(tide_pilot.plan(1, 2), "to berth 1")

    def test_shallow(self):
        self.assertEqual(tide_pilot.plan(0, 5), "wait for high water")
`,
		},
	},
	joint: []string{"tide-example/pilot::tests/test_route.py::RouteTest > test_shallow"},
	trap: map[string]string{"tide_harbor/__init__.py": `
def name(berth):
    return "berth %d" % berth
`},
	void: "tide_harbor is in /testbed/pilot/tide_harbor",
}
