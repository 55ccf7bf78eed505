package testlog

import (
	"path"
	"slices"
	"strings"

	"crossswe/schemas"
)

// goUnit returns a package's directory within the repository, so that a test
// keeps its name when the module's path changes.
func (p Place) goUnit(pkg string) string {
	if pkg == p.Module && p.Module != "" {
		return path.Join(p.ModuleDir, ".")
	}
	if rest, ok := strings.CutPrefix(pkg, p.Module+"/"); ok && p.Module != "" {
		return path.Join(p.ModuleDir, rest)
	}
	return pkg
}

// goPackage turns one package into results.
func (b *builder) goPackage(g *goReport, p *goPackage, unbuilt []byte) {
	unit := b.at.goUnit(p.path)
	b.unit(unit)
	if p.noBuild {
		b.broken(unit, schemas.FailureCompileOwn, p.buildText(g, unbuilt))
		return
	}
	if len(p.order) == 0 {
		b.goNothing(unit, p)
		return
	}
	for _, t := range p.order {
		b.add(p.result(unit, t, b.log.TimedOut))
	}
}

// goNothing is a package without a test: an empty one, or one that ended
// before its first test.
func (b *builder) goNothing(unit string, p *goPackage) {
	text := []byte(p.output.String())
	switch {
	case p.action == "fail":
		b.broken(unit, schemas.FailureRunnerDead, text)
	case p.action == "" && b.log.TimedOut:
		b.broken(unit, schemas.FailureHang, text)
	case p.action == "":
		b.broken(unit, schemas.FailureNoReport, text)
	}
}

// buildText is the output of the build that failed. Before Go 1.24 it is not
// said which one that was; then it is the package's own, or all there is.
func (p *goPackage) buildText(g *goReport, all []byte) []byte {
	if t := g.builds[p.blamed]; t != nil && p.blamed != "" {
		return []byte(t.String())
	}
	for name, t := range g.builds {
		if name == p.path || strings.HasPrefix(name, p.path+" [") {
			return []byte(t.String())
		}
	}
	return append([]byte(p.output.String()), all...)
}

// result says what became of one test.
func (p *goPackage) result(unit string, t *goTest, timedOut bool) Result {
	r := Result{Unit: unit, Names: []string{t.name}, Outcome: t.outcome, Message: t.output.String()}
	switch {
	case t.outcome == "":
		r.Outcome, r.Failure = p.unfinished(t, timedOut)
		r.Deadly = r.Outcome == schemas.OutcomeError
	case t.outcome == schemas.OutcomeFail && t.panics:
		r.Outcome, r.Failure, r.Deadly = schemas.OutcomeError, schemas.FailureAssertion, true
	case t.outcome == schemas.OutcomeFail:
		r.Failure = schemas.FailureAssertion
	case t.outcome == schemas.OutcomePass:
		r.Message = ""
	}
	return r
}

// unfinished says what became of a test that began and did not end. When the
// process died of one test's own panic, the others that were under way are
// merely not run; else nobody knows which one it was, and all are at fault.
func (p *goPackage) unfinished(t *goTest, timedOut bool) (schemas.Outcome, schemas.Failure) {
	switch {
	case p.alarmed && len(p.alarm) > 0 && !slices.ContainsFunc(p.alarm, t.contains):
		return schemas.OutcomeNotRun, schemas.FailureHang
	case t.paused:
		return schemas.OutcomeNotRun, schemas.FailureRunnerDead
	case p.alarmed, timedOut && p.action == "":
		return schemas.OutcomeError, schemas.FailureHang
	case slices.ContainsFunc(p.order, func(o *goTest) bool { return o.outcome == schemas.OutcomeFail && o.panics }):
		return schemas.OutcomeNotRun, schemas.FailureRunnerDead
	}
	return schemas.OutcomeError, schemas.FailureRunnerDead
}

// contains reports whether name is the test or one of its subtests.
func (t *goTest) contains(name string) bool {
	return name == t.name || strings.HasPrefix(name, t.name+"/")
}
