package crossref

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crossswe/schemas"
)

// vector is one line of testdata/references.jsonl: a text, where it stands,
// and what it refers to.
type vector struct {
	ID      int              `json:"id"`
	Context schemas.RepoName `json:"context_repo"`
	Text    string           `json:"text"`
	Expect  []expectation    `json:"expect"`
}

// expectation holds the fields of a reference that a vector states.
type expectation struct {
	Kind         Kind             `json:"kind"`
	Host         string           `json:"host"`
	Owner        string           `json:"owner"`
	Repo         string           `json:"repo"`
	RepoNameOnly string           `json:"repo_name_only"`
	Number       int              `json:"number"`
	Run          int64            `json:"run"`
	SHA          string           `json:"sha"`
	SHA12        string           `json:"sha12"`
	Timestamp    string           `json:"timestamp"`
	Base         string           `json:"base"`
	Head         string           `json:"head"`
	Ref          string           `json:"ref"`
	Path         string           `json:"path"`
	Lines        string           `json:"lines"`
	Sub          string           `json:"sub"`
	Anchor       string           `json:"anchor"`
	Key          string           `json:"key"`
	Rel          Rel              `json:"rel"`
	Local        bool             `json:"local"`
	Canonical    schemas.RepoName `json:"canonical"`
	BotNoise     bool             `json:"bot_noise"`
	InCode       bool             `json:"in_code"`
	Quoted       bool             `json:"quoted"`
	Confidence   string           `json:"confidence"`
}

// enterpriseHost is configured for every vector; other tests leave it out.
const enterpriseHost = "github.example-corp.com"

func TestVectors(t *testing.T) {
	vectors := readVectors(t)
	if len(vectors) != 94 {
		t.Fatalf("read %d vectors, want 94", len(vectors))
	}
	for _, v := range vectors {
		renames := v.renames()
		opt := Options{Context: v.Context, Hosts: []string{enterpriseHost}, Renames: renames, Subject: true}
		got := make([]expectation, 0)
		for _, ref := range Find([]byte(v.Text), opt) {
			got = append(got, stated(ref, renames))
		}
		if diff := cmp.Diff(v.want(t), got); diff != "" {
			t.Errorf("vector %d %q (-want +got):\n%s", v.ID, v.Text, diff)
		}
	}
}

func readVectors(t testing.TB) (vectors []vector) {
	t.Helper()
	f, err := os.Open("testdata/references.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var v vector
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		vectors = append(vectors, v)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return vectors
}

// renames returns the renames that the vector states.
func (v vector) renames() Renames {
	renames := Renames{}
	for _, e := range v.Expect {
		if e.Canonical != "" {
			renames[schemas.RepoName(e.Owner+"/"+e.Repo).Key()] = e.Canonical
		}
	}
	return renames
}

// stated returns ref in the form of an expectation. The relation "refs" adds
// nothing to a reference, and the vectors leave it out.
func stated(ref Reference, renames Renames) expectation {
	e := expectation{
		Kind: ref.Kind, Host: ref.Host, Owner: ref.Owner, Repo: ref.Repo, RepoNameOnly: ref.RepoNameOnly,
		Number: ref.Number, Run: ref.Run, SHA: ref.SHA, Timestamp: ref.Timestamp, Base: ref.Base, Head: ref.Head,
		Ref: ref.Ref, Path: ref.Path, Lines: ref.Lines, Sub: ref.Sub, Anchor: ref.Anchor, Key: ref.Key, Rel: ref.Rel,
		Local: ref.Local, BotNoise: ref.BotNoise, InCode: ref.InCode, Quoted: ref.Quoted,
	}
	if ref.Kind == KindModuleVersion {
		e.SHA, e.SHA12 = "", ref.SHA
	}
	if ref.LowConfidence {
		e.Confidence = "low"
	}
	if e.Rel == RelRefs {
		e.Rel = ""
	}
	if canonical := renames.Canonical(ref); canonical.Owner != ref.Owner || canonical.Repo != ref.Repo {
		e.Canonical, _ = canonical.RepoName()
	}
	return e
}

// want returns the expectations with what the vectors leave out because it
// follows from the rest: that a reference names the context repository, and a
// module version's timestamp.
func (v vector) want(t *testing.T) []expectation {
	t.Helper()
	want := make([]expectation, 0, len(v.Expect))
	for _, e := range v.Expect {
		name := e.Canonical
		if name == "" {
			name = schemas.RepoName(e.Owner + "/" + e.Repo)
		}
		local := name.Same(v.Context)
		if e.Local && !local {
			t.Fatalf("vector %d says that %s is local to %s", v.ID, name, v.Context)
		}
		e.Local = local
		if e.SHA12 != "" && e.Timestamp == "" {
			e.Timestamp = timestampIn(v.Text)
		}
		want = append(want, e)
	}
	return want
}

func timestampIn(text string) string {
	for i := range text {
		if end := runEnd([]byte(text), i, clsDigit); end-i == timestampDigits {
			return text[i:end]
		}
	}
	return ""
}
