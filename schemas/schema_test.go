package schemas

import (
	"bytes"
	"encoding/json"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/invopop/jsonschema"
	validator "github.com/santhosh-tekuri/jsonschema/v6"
)

var update = flag.Bool("update", false, "rewrite the *.schema.json files")

// records holds one value of every record type; TestEveryRecordHasASchema
// keeps it complete.
var records = []Record{Candidate{}, Review{}, Decision{}, Environment{}, Verdict{}, Statement{}, Instance{}, Evaluation{}}

// patterns are the forms of the parsed names. All may be empty where the field may.
var patterns = map[reflect.Type]string{
	reflect.TypeFor[RepoName]():    `^([A-Za-z0-9.:-]+/)?[A-Za-z0-9_-]+/[A-Za-z0-9._-]+$`,
	reflect.TypeFor[CommitSHA]():   `^([0-9a-f]{40}|[0-9a-f]{64})?$`,
	reflect.TypeFor[Digest]():      `^(sha256:[0-9a-f]{64})?$`,
	reflect.TypeFor[CandidateID](): candidatePattern.String(),
}

func TestSchemaFilesAreThoseOfTheTypes(t *testing.T) {
	reflector := newReflector(t)
	for _, r := range records {
		t.Run(string(r.RecordKind()), func(t *testing.T) {
			want := schemaOf(t, reflector, r)
			file := string(r.RecordKind()) + ".schema.json"
			if *update {
				if err := os.WriteFile(file, want, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			got, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("%s is out of date; run go test ./schemas -update (-want +got):\n%s", file, diff)
			}
		})
	}
}

func TestEveryRecordHasASchema(t *testing.T) {
	files, err := filepath.Glob("*.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var kinds, have []string
	for _, k := range constants(t)["Kind"] {
		kinds = append(kinds, k.(string)+".schema.json")
	}
	for _, r := range records {
		have = append(have, string(r.RecordKind())+".schema.json")
	}
	if diff := cmp.Diff(kinds, have); diff != "" {
		t.Errorf("kinds and records (-kinds +records):\n%s", diff)
	}
	if len(files) != len(kinds) {
		t.Errorf("got schema files %v, want those of %v", files, kinds)
	}
}

// schemaOf generates one record's schema.
func schemaOf(t *testing.T, reflector *jsonschema.Reflector, r Record) []byte {
	t.Helper()
	s := reflector.Reflect(r)
	s.ID = jsonschema.ID("https://crossswe.invalid/schemas/" + string(r.RecordKind()) + ".schema.json")
	body, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(body, '\n')
}

func newReflector(t *testing.T) *jsonschema.Reflector {
	t.Helper()
	enums := constants(t)
	r := &jsonschema.Reflector{Anonymous: true, ExpandedStruct: true}
	r.Mapper = func(typ reflect.Type) *jsonschema.Schema {
		if p, ok := patterns[typ]; ok {
			return &jsonschema.Schema{Type: "string", Pattern: p}
		}
		if typ.PkgPath() == "crossswe/schemas" && typ.Kind() == reflect.String && len(enums[typ.Name()]) > 0 {
			return &jsonschema.Schema{Type: "string", Enum: enums[typ.Name()]}
		}
		return nil
	}
	if err := r.AddGoComments("crossswe/schemas", "./"); err != nil {
		t.Fatal(err)
	}
	return r
}

// constants reads from the source the values of every typed string constant.
func constants(t *testing.T) map[string][]any {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	values := map[string][]any{}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || len(spec.Values) != 1 {
				return true
			}
			typ, ok := spec.Type.(*ast.Ident)
			lit, isLit := spec.Values[0].(*ast.BasicLit)
			if ok && isLit && lit.Kind == token.STRING {
				v, err := strconv.Unquote(lit.Value)
				if err != nil {
					t.Fatal(err)
				}
				values[typ.Name] = append(values[typ.Name], v)
			}
			return true
		})
	}
	return values
}

func TestEveryEnumeratedStringIsClosed(t *testing.T) {
	enums := constants(t)
	want := []any{"feature_development", "api_schema_protocol_evolution", "bug_fixing", "security_identity_observability",
		"deployment_platform_runtime", "migration_upgrade_refactoring", "test_benchmark_conformance", "transitive_change_propagation"}
	if diff := cmp.Diff(want, enums["TaskIntent"]); diff != "" {
		t.Errorf("task intents (-want +got):\n%s", diff)
	}
	if len(enums["TaskIntent"]) != len(TaskIntents) || len(enums["ReasonCode"]) != len(ReasonCodes) {
		t.Errorf("the lists TaskIntents and ReasonCodes lack a constant")
	}
}

func TestJSONLinesValidateAgainstTheSchemas(t *testing.T) {
	for _, r := range []Record{fullCandidate(), fullReview(), fullDecision(), fullEnvironment(), fullVerdict(), fullStatement(), fullInstance()} {
		t.Run(string(r.RecordKind()), func(t *testing.T) {
			if err := r.Validate(); err != nil {
				t.Fatal(err)
			}
			if err := validate(t, r); err != nil {
				t.Errorf("%#v", err)
			}
		})
	}
}

func TestSchemasRefuseWhatIsNoRecord(t *testing.T) {
	badChoice, badRepo, badDigest := fullReview(), fullCandidate(), fullStatement()
	badChoice.Choice = "maybe"
	badRepo.Sides[0].Repo = "no slash"
	badDigest.Linted = "md5:1"
	for _, r := range []Record{badChoice, badRepo, badDigest} {
		if validate(t, r) == nil {
			t.Errorf("the schema of %s takes %+v", r.RecordKind(), r)
		}
	}
}

// validate reads the record's line as another program would, and checks its body.
func validate(t *testing.T, r Record) error {
	t.Helper()
	line, err := json.Marshal(Line{Record: r.RecordKind(), Body: r})
	if err != nil {
		t.Fatal(err)
	}
	if bytes.ContainsRune(line, '\n') {
		t.Errorf("the line holds a newline: %s", line)
	}
	doc, err := validator.UnmarshalJSON(bytes.NewReader(line))
	if err != nil {
		t.Fatal(err)
	}
	s, err := validator.NewCompiler().Compile(doc.(map[string]any)["record"].(string) + ".schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(doc.(map[string]any)["body"])
}

func TestSchemasImportsTheStandardLibraryOnly(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, imp := range f.Imports {
			if strings.Contains(imp.Path.Value, ".") || strings.Contains(imp.Path.Value, "crossswe") {
				t.Errorf("%s imports %s", file, imp.Path.Value)
			}
		}
	}
}
