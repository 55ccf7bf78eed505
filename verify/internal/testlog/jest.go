package testlog

import (
	"encoding/json"
	"slices"
	"strings"

	"crossswe/schemas"
)

// jestFile is one file of jest --json.
type jestFile struct {
	Name             string
	Message          string
	AssertionResults []struct {
		AncestorTitles  []string
		Title           string
		Status          string
		FailureMessages []string
	}
}

// jestOutcomes is the one table of jest's statuses.
var jestOutcomes = map[string]schemas.Outcome{
	"passed":   schemas.OutcomePass,
	"failed":   schemas.OutcomeFail,
	"pending":  schemas.OutcomeSkip,
	"skipped":  schemas.OutcomeSkip,
	"todo":     schemas.OutcomeSkip,
	"disabled": schemas.OutcomeSkip,
	"focused":  schemas.OutcomeNotRun,
}

// parseJest reads jest --json (and vitest's reporter of the same form).
func parseJest(b *builder) {
	found, whole := false, false
	for body := range objects(b.log.Report, map[string]string{"numFailedTestSuites": digits, "numTotalTestSuites": digits, "testResults": "["}) {
		found = true
		whole = eachField(body, func(key string, dec *json.Decoder) error {
			if key == "testResults" {
				return eachElement(dec, b.jestFile)
			}
			return skipValue(dec)
		})
		if len(b.order) > 0 {
			break
		}
	}
	switch {
	case !found:
		b.fault = FaultAbsent
		b.log.Stdout = slices.Concat(b.log.Stdout, b.log.Report)
		b.absentJS()
	case !whole:
		b.fault = FaultHalf
	}
}

const digits = "0123456789"

func (b *builder) jestFile(f jestFile) {
	unit := b.at.fileUnit(f.Name)
	b.unit(unit)
	if len(f.AssertionResults) == 0 && f.Message != "" && !strings.Contains(f.Message, "must contain at least one test") {
		b.broken(unit, schemas.FailureCompileOwn, []byte(f.Message))
	}
	for _, a := range f.AssertionResults {
		r := Result{Unit: unit, Names: append(append([]string{}, a.AncestorTitles...), a.Title), Outcome: jestOutcomes[a.Status]}
		switch r.Outcome {
		case "":
			r.Outcome = schemas.OutcomeNotRun
		case schemas.OutcomeFail:
			r.Failure, r.Message = schemas.FailureAssertion, strings.Join(a.FailureMessages, "\n")
			if strings.Contains(r.Message, "Exceeded timeout of ") {
				r.Failure = schemas.FailureHang
			}
		}
		b.add(r)
	}
}
