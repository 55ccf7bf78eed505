package config

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

const rootFile = "../../pipeline.yaml"

// TestRootFileHoldsTheDefaults keeps the explained pipeline.yaml true.
func TestRootFileHoldsTheDefaults(t *testing.T) {
	got := parseFile(t, rootFile)
	want := defaults()
	want.Repositories.Mirrors = "repositories"
	normalise(reflect.ValueOf(got).Elem())
	normalise(reflect.ValueOf(want).Elem())
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("pipeline.yaml differs from the defaults (-defaults +file):\n%s", diff)
	}
}

// normalise makes empty lists equal to missing ones.
func normalise(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				normalise(v.Field(i))
			}
		}
	case reflect.Slice:
		if v.Len() == 0 {
			v.SetZero()
		}
	}
}

func TestRootFileNamesEveryKey(t *testing.T) {
	body, err := os.ReadFile(rootFile)
	if err != nil {
		t.Fatal(err)
	}
	var root map[string]any
	if err := yaml.Unmarshal(body, &root); err != nil {
		t.Fatal(err)
	}
	for _, key := range keys(reflect.TypeFor[Config](), "") {
		section, name, inner := strings.Cut(key, ".")
		in, ok := root[section].(map[string]any)
		if !ok {
			t.Errorf("pipeline.yaml lacks the section %s", section)
			continue
		}
		if _, ok := in[name]; inner && !ok {
			t.Errorf("pipeline.yaml lacks the key %s", key)
		}
	}
	for _, key := range keys(reflect.TypeFor[Repository](), "") {
		if !strings.Contains(string(body), key+":") {
			t.Errorf("pipeline.yaml does not tell of the key %s of a repository", key)
		}
	}
}

// keys lists the dotted keys of a configuration's struct.
func keys(t reflect.Type, prefix string) []string {
	var out []string
	for i := range t.NumField() {
		f := t.Field(i)
		key := prefix + f.Tag.Get("yaml")
		if f.Type.Kind() == reflect.Struct && f.Type != reflect.TypeFor[Date]() {
			out = append(out, keys(f.Type, key+".")...)
			continue
		}
		out = append(out, key)
	}
	return out
}

// TestEveryKeyIsExplained asks for a comment above each key, or above the
// first of a block of keys.
func TestEveryKeyIsExplained(t *testing.T) {
	body, err := os.ReadFile(rootFile)
	if err != nil {
		t.Fatal(err)
	}
	explained := false
	for line := range strings.Lines(string(body)) {
		switch line = strings.TrimSpace(line); {
		case line == "":
			explained = false
		case strings.HasPrefix(line, "#"):
			explained = true
		case !explained:
			t.Errorf("%q has no comment above it", line)
		}
	}
}

func TestExamplesParse(t *testing.T) {
	files, err := filepath.Glob("../../examples/*/pipeline.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no example: %v", err)
	}
	for _, f := range files {
		t.Run(filepath.Base(filepath.Dir(f)), func(t *testing.T) { parseFile(t, f) })
	}
}

func parseFile(t *testing.T, file string) *Config {
	t.Helper()
	body, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Parse(body)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return c
}

// TestExamplesAreRight keeps what people copy in order.
func TestExamplesAreRight(t *testing.T) {
	files, err := filepath.Glob("../../examples/*/pipeline.yaml")
	if err != nil || len(files) < 2 {
		t.Fatalf("got %v, %v; want the examples", files, err)
	}
	for _, file := range files {
		if _, err := Read(file); err != nil {
			t.Error(err)
		}
	}
}
