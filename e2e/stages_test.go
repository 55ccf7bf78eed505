package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crossswe/e2e/world"
	"crossswe/internal/store"
	"crossswe/schemas"
)

// TestDemo shows the demonstration on the whole world, and then looks at what
// every stage wrote. The demonstration itself compares the verdicts with the
// stories.
func TestDemo(t *testing.T) {
	p := demoPipeline(t)
	said := p.demo(t)
	for _, want := range []string{"== the funnel", "== truth tables", "JOINT", "LOCKSTEP", "default/test", "README.md", "verdicts are what the stories tell"} {
		if !strings.Contains(said, want) {
			t.Errorf("the demonstration does not say %q", want)
		}
	}
	if p.changes == nil {
		t.Fatal("the world was not made")
	}
	t.Run("mine", func(t *testing.T) { checkMined(t, p) })
	t.Run("build", func(t *testing.T) { checkBuilt(t, p) })
	t.Run("verify", func(t *testing.T) { checkReduced(t, p) })
	t.Run("publish", func(t *testing.T) { checkPublished(t, p) })
	t.Run("again", func(t *testing.T) {
		before := p.dump(t)
		p.demo(t)
		if diff := cmp.Diff(before, p.dump(t)); diff != "" {
			t.Errorf("the second showing changed something (-before +after):\n%s", diff)
		}
		checkAgain(t, p)
	})
}

// demoPipeline is the demonstration's configuration in a directory of its own.
func demoPipeline(t *testing.T) *pipeline {
	t.Helper()
	text, err := os.ReadFile("../examples/demo/pipeline.yaml")
	if err != nil {
		t.Fatal(err)
	}
	p := &pipeline{dir: t.TempDir(), scenarios: world.Scenarios()}
	p.write(t, "pipeline.yaml", strings.ReplaceAll(string(text), "../../demo/world/", ""))
	p.makeTmp(t)
	return p
}

// demo runs the demonstration and returns what it says.
func (p *pipeline) demo(t *testing.T) string {
	t.Helper()
	reviews, err := filepath.Abs("../examples/demo/decisions.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	r := p.must(t, "demo", "-bin", bin, "-dir", p.dir, "-reviews", reviews)
	body, err := os.ReadFile(filepath.Join(p.dir, "changes.json"))
	if err == nil {
		err = json.Unmarshal(body, &p.changes)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r.stdout
}

// expected returns the expectations, by candidate, of what mine proposes.
func (p *pipeline) expected() map[schemas.CandidateID]world.Expect {
	all := map[schemas.CandidateID]world.Expect{}
	for _, s := range p.scenarios {
		for _, e := range s.Expect {
			if e.Drop == "" {
				all[e.Candidate(p.changes)] = e
			}
		}
	}
	return all
}

func checkMined(t *testing.T, p *pipeline) {
	got, want := map[schemas.CandidateID][]string{}, map[schemas.CandidateID][]string{}
	expected := p.expected()
	for _, c := range records[schemas.Candidate](t, p) {
		if c.Origin == schemas.OriginReduced { // verify's work: see checkReduced
			if _, ok := expected[c.ReducedFrom]; !ok {
				t.Errorf("%s is reduced from %q, which mine does not propose", c.ID, c.ReducedFrom)
			}
			continue
		}
		for _, s := range c.Sides {
			got[c.ID] = append(got[c.ID], fmt.Sprintf("%s#%d", s.Repo, s.Pull))
		}
		if len(c.Links) == 0 || c.Score.Total <= 0 {
			t.Errorf("%s has %d links and the score %g", c.ID, len(c.Links), c.Score.Total)
		}
	}
	for id, e := range expected {
		want[id] = e.Sides
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("candidates differ (-want +got):\n%s", diff)
	}
	checkDropped(t, p)
}

// checkDropped looks for the drop of each side that mine must leave out. A drop
// is named after the commit that it was found in and what that points to.
func checkDropped(t *testing.T, p *pipeline) {
	items := p.items(t, store.StageMine)
	for _, s := range p.scenarios {
		for _, e := range s.Expect {
			if e.Drop == "" {
				continue
			}
			to, _, _ := strings.Cut(e.Sides[0], "#")
			from := p.change(e.Sides[len(e.Sides)-1])
			found := slices.ContainsFunc(items, func(it store.Item) bool {
				return it.State == store.Dropped && it.Reason == string(e.Drop) &&
					strings.HasPrefix(it.ID, string(from.Repo)+"@"+from.Head.Short()) && strings.Contains(it.ID, to)
			})
			if !found {
				t.Errorf("%s: no drop of %v because of %s", s.Name, e.Sides, e.Drop)
			}
		}
	}
}

func (p *pipeline) change(name string) world.Change {
	i := slices.IndexFunc(p.changes, func(c world.Change) bool { return c.Name() == name })
	return p.changes[i]
}

func checkBuilt(t *testing.T, p *pipeline) {
	built := map[schemas.CandidateID]schemas.Environment{}
	for _, e := range records[schemas.Environment](t, p) {
		built[e.Candidate] = e
	}
	for id := range p.expected() {
		env, ok := built[id]
		switch {
		case !ok:
			t.Errorf("%s has no environment", id)
		case !env.Audit.Clean || len(env.Audit.Checks) == 0:
			t.Errorf("%s: its audit says %+v", id, env.Audit)
		case len(env.Links) == 0 || slices.ContainsFunc(env.Links, func(l schemas.LinkProof) bool { return !l.Holds }):
			t.Errorf("%s: its links are %+v", id, env.Links)
		case exec.CommandContext(t.Context(), "docker", "image", "inspect", string(env.Image)).Run() != nil:
			t.Errorf("%s: the engine has no image %s", id, env.Image)
		}
	}
	for _, it := range p.items(t, store.StageBuild) {
		if it.State != store.Kept {
			t.Errorf("build %s: %s %s %s", it.ID, it.State, it.Reason, it.Detail)
		}
	}
}

// checkReduced looks for the joint verdict on the minimal set of every
// candidate that needs fewer repositories than it has.
func checkReduced(t *testing.T, p *pipeline) {
	kinds := map[schemas.CandidateID]schemas.Verdict{}
	for _, v := range records[schemas.Verdict](t, p) {
		kinds[v.Candidate] = v
	}
	for id, e := range p.expected() {
		if e.Kind != schemas.VerdictSubset {
			continue
		}
		found := false
		for _, c := range records[schemas.Candidate](t, p) {
			if c.ReducedFrom != id {
				continue
			}
			found = true
			v := kinds[c.ID]
			if v.Kind != schemas.VerdictJoint || !slices.Equal(v.Repos, e.Minimal) {
				t.Errorf("%s, reduced from %s: %s of %v, want joint of %v", c.ID, id, v.Kind, v.Repos, e.Minimal)
			}
		}
		if !found {
			t.Errorf("no candidate is reduced from %s", id)
		}
	}
}

// joint lists the candidates with a joint verdict, sorted.
func (p *pipeline) joint(t *testing.T) []schemas.CandidateID {
	var ids []schemas.CandidateID
	for _, v := range records[schemas.Verdict](t, p) {
		if v.Kind == schemas.VerdictJoint {
			ids = append(ids, v.Candidate)
		}
	}
	slices.Sort(ids)
	return ids
}

// checkPublished reads the dataset with a reader that is not ours, and the
// card.
func checkPublished(t *testing.T, p *pipeline) {
	var got []schemas.CandidateID
	for _, i := range records[schemas.Instance](t, p) {
		got = append(got, schemas.CandidateID(i.InstanceID))
		if !i.StatementApproved {
			t.Errorf("%s is published and not approved", i.InstanceID)
		}
	}
	slices.Sort(got)
	if diff := cmp.Diff(p.joint(t), got); diff != "" {
		t.Errorf("rows differ from the joint verdicts (-want +got):\n%s", diff)
	}
	file := p.write(t, "rows.jsonl", p.must(t, "publish", "-json").stdout)
	cmd := exec.CommandContext(t.Context(), "scripts/read-back.sh", filepath.Join(p.dir, "dataset"), file)
	cmd.Dir = ".."
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("reading the dataset back: %v\n%s", err, out)
	}
	card, err := os.ReadFile(filepath.Join(p.dir, "dataset", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"bot_bump", "lockstep", fmt.Sprint(len(got))} {
		if !strings.Contains(string(card), want) {
			t.Errorf("the card lacks %q", want)
		}
	}
}

// checkAgain asks that no stage makes a record again. What publish prints are
// the dataset's rows, whether new or not.
func checkAgain(t *testing.T, p *pipeline) {
	t.Helper()
	for _, program := range []string{"mine", "build", "verify", "publish"} {
		r := p.must(t, program, "-json")
		for line := range strings.Lines(r.stdout) {
			var l struct{ Record schemas.Kind }
			if err := json.Unmarshal([]byte(line), &l); err != nil || l.Record != schemas.KindInstance {
				t.Errorf("%s made a record again: %.120s", program, line)
			}
		}
	}
}
