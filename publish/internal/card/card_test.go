package card

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"crossswe/internal/agreement"
	"crossswe/internal/golden"
	"crossswe/schemas"
)

func row(month time.Month, files, lines int32, intent schemas.TaskIntent, languages []string, repos ...string) schemas.Instance {
	r := schemas.Instance{ChangedFiles: files, ChangedLines: lines, TaskIntent: string(intent), Languages: languages, LatestMergeAt: time.Date(2026, month, 9, 0, 0, 0, 0, time.UTC),
		JointLevel: "single_test", Evidence: "new", FailToPass: []string{"a", "b"}, JointTests: []string{"a"}, PassToPass: []string{"c"}, Masks: make([]schemas.InstanceMask, 1<<len(repos))}
	for _, name := range repos {
		r.Repos = append(r.Repos, schemas.InstanceRepo{Repo: name, License: "MIT"})
	}
	return r
}

func example() Input {
	rows := []schemas.Instance{
		row(1, 4, 120, schemas.IntentFeature, []string{"Go"}, "a/lib", "b/app"),
		row(3, 20, 900, schemas.IntentAPI, []string{"Go", "JavaScript"}, "A/lib", "c/tool", "d/x"),
		row(3, 2, 30, "", nil, "e/y", "f/z"),
	}
	rows[0].StatementApproved, rows[0].Domain = true, "networking"
	rows[2].Repos[0].License, rows[2].Evidence = "", ""
	return Input{Name: "owner/name", Rows: rows, Canary: "canary GUID 1",
		Funnel:  []Outcome{{"mine", "kept", "", 9}, {"mine", "dropped", "bot_bump", 40}, {"screen", "dropped", "mere | <mention>\n", 2}},
		Reviews: agreement.Estimate{Units: 9, Defined: true, Value: 0.713, HasInterval: true, Low: 0.4, High: 0.91}}
}

func TestText(t *testing.T) {
	for name, in := range map[string]Input{"card.md": example(), "empty.md": {Name: "owner/name"}} {
		golden.Check(t, name, Text(in))
	}
}

func TestFrontMatterNamesTheFiles(t *testing.T) {
	head := strings.Split(Text(example()), "---\n")[1]
	var meta struct {
		Configs []struct {
			Name string                         `yaml:"config_name"`
			Data []struct{ Split, Path string } `yaml:"data_files"`
		}
		Size []string `yaml:"size_categories"`
	}
	if err := yaml.Unmarshal([]byte(head), &meta); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range meta.Configs {
		got = append(got, c.Name+" "+c.Data[0].Split+" "+c.Data[0].Path)
	}
	want := []string{"default test data/default/test-00000-of-00001.parquet", "swebench test data/swebench/test-00000-of-00001.parquet"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestReviews(t *testing.T) {
	tests := []struct {
		name string
		e    agreement.Estimate
		want string
	}{
		{"none", agreement.Estimate{}, "No candidate was judged by two people"},
		{"all the same", agreement.Estimate{Units: 4}, "undefined"},
		{"too few", agreement.Estimate{Units: 1, Defined: true, Value: 1}, "is 1.00 over 1 candidates"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Text(Input{Name: "a/b", Reviews: tt.e}); !strings.Contains(got, tt.want) {
				t.Errorf("got %s", got)
			}
		})
	}
}

func TestCell(t *testing.T) {
	if got, want := cell("a|b <script>`x`\n[l](u)\x1b"), `a\|b &lt;script&gt;'x' \[l\](u)`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSizeCategory(t *testing.T) {
	for n, want := range map[int]string{0: "n<1K", 999: "n<1K", 1000: "1K<n<10K", 10_000: "10K<n<100K"} {
		if got := sizeCategory(n); got != want {
			t.Errorf("%d: got %s, want %s", n, got, want)
		}
	}
}
