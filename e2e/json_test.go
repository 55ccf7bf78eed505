package e2e

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"crossswe/schemas"
)

// checkJSON validates everything that the programs printed with -json against
// the schema files: one record a line and nothing else.
func checkJSON(t *testing.T, printed map[string]string) {
	want := map[string]schemas.Kind{
		"mine": schemas.KindCandidate, "screen": schemas.KindReview, "build": schemas.KindEnvironment,
		"verify": schemas.KindVerdict, "publish": schemas.KindInstance,
	}
	compiled := map[schemas.Kind]*jsonschema.Schema{}
	for program, kind := range want {
		seen := map[schemas.Kind]int{}
		for line := range strings.Lines(printed[program]) {
			seen[checkLine(t, program, line, compiled)]++
		}
		if seen[kind] == 0 {
			t.Errorf("%s -json printed no %s, but %v", program, kind, seen)
		}
	}
}

func checkLine(t *testing.T, program, line string, compiled map[schemas.Kind]*jsonschema.Schema) schemas.Kind {
	t.Helper()
	var l struct {
		Record schemas.Kind    `json:"record"`
		Body   json.RawMessage `json:"body"`
	}
	dec := json.NewDecoder(strings.NewReader(line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&l); err != nil {
		t.Errorf("%s printed %.200q, which is no record: %v", program, line, err)
		return ""
	}
	schema, ok := compiled[l.Record]
	if !ok {
		var err error
		file := filepath.Join("..", "schemas", string(l.Record)+".schema.json")
		if schema, err = jsonschema.NewCompiler().Compile(file); err != nil {
			t.Fatal(err)
		}
		compiled[l.Record] = schema
	}
	body, err := jsonschema.UnmarshalJSON(bytes.NewReader(l.Body))
	if err == nil {
		err = schema.Validate(body)
	}
	if err != nil {
		t.Errorf("%s printed a %s that its schema refuses: %v", program, l.Record, err)
	}
	return l.Record
}
