// Package card writes the dataset card: a README.md whose every figure comes
// from the rows, the funnel and the reviews. It is pure.
package card

import (
	"fmt"
	"slices"
	"strings"

	"crossswe/internal/agreement"
	"crossswe/schemas"
)

// Input is what a card tells of.
type Input struct {
	Name   string // owner/name on the Hub
	Rows   []schemas.Instance
	Funnel []Outcome // in the pipeline's order
	// Reviews is the agreement of the reviewers: Krippendorff's alpha over the
	// candidates with two reviews or more.
	Reviews agreement.Estimate
	Canary  string
}

// Outcome counts the items of one stage that ended in one way.
type Outcome struct {
	Stage, State, Reason string
	Count                int
}

// Split is the name of the only split: all rows are for evaluation. Whoever
// needs rows after a model's training ends filters by latest_merge_at.
const Split = "test"

// Configs are the names of the configs, the default one first.
var Configs = []string{"default", "swebench"}

// DataFile is a config's file, relative to the dataset's directory.
func DataFile(config string) string {
	return "data/" + config + "/" + Split + "-00000-of-00001.parquet"
}

// Mark is the sentence that tells a card from any other README.md.
const Mark = "Built by the crossswe pipeline."

// Text writes the card.
func Text(in Input) string {
	var b strings.Builder
	frontMatter(&b, in)
	title := in.Name[strings.LastIndexByte(in.Name, '/')+1:]
	fmt.Fprintf(&b, "# %s\n\n", cell(title))
	b.WriteString("Tasks that need changes in two or more repositories at once. Each comes from real, merged changes, and each was verified by running the\ntests in every state: with no repository patched, with each subset of them patched, and with all. " + Mark + "\n\n")
	composition(&b, in.Rows)
	sizes(&b, in.Rows)
	intents(&b, in.Rows)
	verification(&b, in.Rows)
	window(&b, in.Rows)
	licences(&b, in.Rows)
	reviews(&b, in)
	funnel(&b, in.Funnel)
	loading(&b, in.Name)
	limits(&b)
	if in.Canary != "" {
		fmt.Fprintf(&b, "## Canary\n\nEvery row holds this text, so that training data can be checked for the dataset:\n\n    %s\n", strings.Join(strings.Fields(in.Canary), " "))
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

func frontMatter(b *strings.Builder, in Input) {
	b.WriteString("---\n")
	fmt.Fprintf(b, "pretty_name: %q\n", in.Name)
	b.WriteString("license: other\nlicense_name: per-repository\nlanguage:\n- en\ntask_categories:\n- text-generation\ntags:\n- code\n- software-engineering\n- cross-repository\n- swe-bench\n")
	fmt.Fprintf(b, "size_categories:\n- %s\nconfigs:\n", sizeCategory(len(in.Rows)))
	for i, c := range Configs {
		fmt.Fprintf(b, "- config_name: %s\n  data_files:\n  - split: %s\n    path: %s\n", c, Split, DataFile(c))
		if i == 0 {
			b.WriteString("  default: true\n")
		}
	}
	b.WriteString("---\n\n")
}

func sizeCategory(n int) string {
	switch {
	case n < 1000:
		return "n<1K"
	case n < 10_000:
		return "1K<n<10K"
	}
	return "10K<n<100K"
}

func loading(b *strings.Builder, name string) {
	fmt.Fprintf(b, `## Loading

`+"```python"+`
from datasets import load_dataset

rows = load_dataset(%[1]q, split="test")                  # native lists, all columns
plain = load_dataset(%[1]q, "swebench", split="test")     # SWE-bench's columns, lists as JSON strings
`+"```"+`

`+"`patch` and `test_patch`"+` are one diff over all repositories, each path below the repository's directory: `+"`git apply`"+` takes it in `+"`/testbed`"+`
of the image. `+"`repos`"+` has the same patches per repository. `+"`eval_script`"+` applies the test patches and runs the tests; `+"`log_parser`"+` and `+"`eval_type`"+`
are names of the public SWE-bench harness. `+"`deny_list`"+` names the pages that show the solution: keep them from the model.

`, name)
}

func limits(b *strings.Builder) {
	b.WriteString(`## Limits

- A test counts as joint when it fails, in every repetition, in each state that lacks one of its repositories, and passes with all of them.
  That a smaller change of another kind could pass it too is not excluded.
- Images are named as they were built. Where they are not in a registry, build them from the recipe that the pipeline keeps.
- Statements are drawn from the changes' own texts. ` + "`statement_approved`" + ` tells those that a person approved from drafts.
- Tests whose names no line of a log can carry are left out of the lists; ` + "`provenance`" + ` counts them.

`)
}

// cell makes any text safe for one cell of a table.
func cell(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, s)
	return strings.NewReplacer("|", `\|`, "<", "&lt;", ">", "&gt;", "`", "'", "[", `\[`, "]", `\]`).Replace(s)
}

// counted is one value and how often it stands.
type counted struct {
	value string
	n     int
}

// count counts values, most frequent first, then by value.
func count(values []string) []counted {
	n := map[string]int{}
	for _, v := range values {
		n[v]++
	}
	var all []counted
	for v, c := range n {
		all = append(all, counted{v, c})
	}
	slices.SortFunc(all, func(a, b counted) int {
		if a.n != b.n {
			return b.n - a.n
		}
		return strings.Compare(a.value, b.value)
	})
	return all
}

func percent(n, of int) string {
	if of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(of))
}
