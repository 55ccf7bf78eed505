package testlog

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"

	"crossswe/schemas"
)

var (
	jvmSource  = regexp.MustCompile(`^(?:(.*)/)?src/[^/]+/(?:java|kotlin|groovy|scala)/(.+)\.(?:java|kt|groovy|scala)$`)
	classTests = []string{"", "initializationError", "executionError"}
	crashed    = regexp.MustCompile(`(?m)^\[ERROR\] Crashed tests:\s*\n((?:\[ERROR\] [\w.$]+\s*\n)+)`)
	crashName  = regexp.MustCompile(`(?m)^\[ERROR\] ([\w.$]+)\s*$`)
)

// ClassUnit is the unit of a file of JVM test sources: the module's directory
// and the class's full name, such as core/com.example.SomeTest. For another
// file it is the file.
func ClassUnit(file string) string {
	m := jvmSource.FindStringSubmatch(path.Clean(file))
	if m == nil {
		return file
	}
	return path.Join(m[1], strings.ReplaceAll(m[2], "/", "."))
}

// parseSurefire reads the XML files of Surefire and Failsafe, joined under one
// root. A test is named by its module, its class and its method with the
// parameters as the report has them. What passed after a failure is no pass.
func parseSurefire(b *builder) {
	var cases []junitCase
	start := bytes.Index(b.log.Report, []byte("<testsuite"))
	if start >= 0 {
		whole := newJUnitReader(b.log.Report[start:]).read(func(c junitCase) { cases = append(cases, c) })
		if !whole {
			b.fault = FaultHalf
		}
	} else {
		b.fault = FaultAbsent
	}
	module := b.module()
	var broken []junitCase
	for _, c := range cases {
		r := surefireResult(module, c)
		if r.Names == nil {
			broken = append(broken, c)
			continue
		}
		b.add(r)
	}
	b.classes(module, broken)
	b.missing()
}

// module is the directory of the module that the target ran, by its files.
func (b *builder) module() string {
	for _, f := range b.at.Files {
		if m := jvmSource.FindStringSubmatch(path.Clean(f)); m != nil {
			return m[1]
		}
	}
	return b.at.Dir
}

// surefireResult names a testcase. One that stands for the whole class has no
// Names.
func surefireResult(module string, c junitCase) Result {
	class, nested, _ := strings.Cut(c.classname, "$")
	r := Result{Unit: path.Join(module, class)}
	if slices.Contains(classTests, c.name) || c.name == c.classname {
		return r
	}
	if nested != "" {
		r.Names = strings.Split(nested, "$")
	}
	r.Names = append(r.Names, c.name)
	r.Outcome, r.Failure, r.Message = c.outcome()
	return r
}

// classes enters what went wrong with whole classes: one without any test did
// not load, another has a result for the class.
func (b *builder) classes(module string, broken []junitCase) {
	for _, c := range broken {
		r := surefireResult(module, c)
		r.Outcome, r.Failure, r.Message = c.outcome()
		switch {
		case r.Outcome == schemas.OutcomePass:
		case b.seen[r.Unit] || r.Outcome == schemas.OutcomeSkip:
			_, nested, _ := strings.Cut(c.classname, "$")
			r.Names = []string{"(class)"}
			if nested != "" {
				r.Names = append(strings.Split(nested, "$"), "(class)")
			}
			b.add(r)
		default:
			b.broken(r.Unit, schemas.FailureCompileOwn, []byte(c.message))
		}
	}
}

// missing records the classes of the target that no report speaks of.
func (b *builder) missing() {
	dead := map[string]bool{}
	if m := crashed.FindSubmatch(b.log.text()); m != nil {
		for _, name := range crashName.FindAllSubmatch(m[1], -1) {
			dead[string(name[1])] = true
		}
	}
	for _, u := range b.expected(ClassUnit) {
		if b.seen[u] {
			continue
		}
		failure := schemas.FailureNotCollected
		switch {
		case b.log.TimedOut:
			failure = schemas.FailureHang
		case dead[path.Base(u)]:
			failure = schemas.FailureRunnerDead
		case b.fault == FaultAbsent:
			failure = schemas.FailureNoReport
		}
		b.broken(u, failure, mavenErrors(b.log.text()))
	}
}

// mavenErrors are the lines by which Maven says what is wrong, without its
// stack traces: a log of thousands of lines ends in them.
func mavenErrors(text []byte) []byte {
	var out bytes.Buffer
	for line := range bytes.Lines(text) {
		if bytes.HasPrefix(line, []byte("[ERROR]")) && !bytes.HasPrefix(line, []byte("[ERROR] \tat ")) || bytes.HasPrefix(line, []byte("  ")) && out.Len() > 0 {
			out.Write(line)
		}
	}
	if out.Len() == 0 {
		return text
	}
	return out.Bytes()
}
