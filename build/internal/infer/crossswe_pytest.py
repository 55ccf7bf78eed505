"""Writes what pytest does as lines of JSON, each as soon as it is known.

JUnit XML appears only at the end, and a run that dies leaves none. The first
line is the start, the last the finish: without it the run did not end.
"""

import json
import os
import sys

MOST = 8000  # characters of one text


def pytest_addoption(parser):
    parser.addoption("--crossswe-report", dest="crossswe_report", default=None, help="write outcomes to this file as lines of JSON")
    parser.addoption("--crossswe-leave-out", dest="crossswe_leave_out", action="append", default=[], help="leave this function out, with all its parameters")
    parser.addoption("--crossswe-link", dest="crossswe_link", action="append", default=[], help="module=directory: the report says so when the module was loaded from elsewhere")


def pytest_collection_modifyitems(config, items):
    out = config.getoption("crossswe_leave_out")
    if out:
        items[:] = [item for item in items if item.nodeid.partition("::")[2].partition("[")[0] not in out]


def pytest_configure(config):
    path = config.getoption("crossswe_report")
    # A worker of pytest-xdist sends its reports to the process that started it.
    if path and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Reporter(config, path), "crossswe-reporter")


class Reporter:
    def __init__(self, config, path):
        self.out = open(path, "w", encoding="utf-8", errors="backslashreplace")
        self.owner = os.getpid()
        self.links = config.getoption("crossswe_link")
        import pytest

        self.write(event="start", root=str(getattr(config, "rootpath", None) or config.rootdir), pytest=pytest.__version__)

    def write(self, **line):
        # A child that a test forked must not write for its parent.
        if os.getpid() == self.owner:
            self.out.write(json.dumps(line) + "\n")
            self.out.flush()

    def pytest_collectreport(self, report):
        if report.failed:
            self.write(event="collect", id=report.nodeid, outcome="failed", text=text(report))
        elif report.skipped:
            self.write(event="collect", id=report.nodeid, outcome="skipped", text=text(report))

    def pytest_collection_finish(self, session):
        self.write(event="collected", ids=[item.nodeid for item in session.items])
        # What the test files brought along, before any test can play tricks.
        for link in self.links:
            module, _, root = link.partition("=")
            place = getattr(sys.modules.get(module), "__file__", None)
            if place and not os.path.realpath(place).startswith(os.path.join(root, "")):
                self.write(event="void", id=module, text=place)

    def pytest_deselected(self, items):
        self.write(event="deselected", ids=[item.nodeid for item in items])

    def pytest_runtest_logstart(self, nodeid, location):
        self.write(event="begin", id=nodeid)

    def pytest_runtest_logreport(self, report):
        line = dict(event="test", id=report.nodeid, when=report.when, outcome=report.outcome)
        if hasattr(report, "wasxfail"):
            line["xfail"] = True
        if report.outcome != "passed":
            line["text"] = text(report)
        self.write(**line)

    def pytest_internalerror(self, excrepr):
        self.write(event="internal", text=cut(str(excrepr)))

    def pytest_sessionfinish(self, session, exitstatus):
        self.write(event="finish", exit=int(exitstatus))


def text(report):
    try:
        if isinstance(report.longrepr, tuple):
            return cut(str(report.longrepr[2]))
        # What was raised comes first: a trace begins with the source of its frames.
        crash = getattr(report.longrepr, "reprcrash", None)
        raised = "%s:%s: %s\n" % (crash.path, crash.lineno, crash.message) if crash else ""
        return cut(raised + str(report.longrepr or ""))
    except Exception as e:
        return "no text: " + repr(e)


def cut(s):
    if len(s) <= MOST:
        return s
    return s[: MOST // 4] + "\n...\n" + s[-(MOST * 3) // 4 :]
