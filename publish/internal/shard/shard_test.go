package shard

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/parquet-go/parquet-go"

	"crossswe/internal/golden"
	"crossswe/schemas"
)

var at = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

func instance(id string) schemas.Instance {
	return schemas.Instance{
		InstanceID: id, Repo: "ann/lib+bob/app", Patch: "diff --git a/x b/x\n", ProblemStatement: "# Task\n", CreatedAt: at, LatestMergeAt: at,
		FailToPass: []string{"a::b::<T> & [c]"}, PassToPass: []string{}, JointTests: []string{"a::b::<T> & [c]"}, SingleSideTests: []string{},
		Repos:     []schemas.InstanceRepo{{Repo: "ann/lib", Dir: "lib", PullNumber: 7, MergedAt: at}, {Repo: "bob/app", Dir: "app", MergedAt: at}},
		Masks:     []schemas.InstanceMask{{Mask: "A0B0", Patched: []string{}, Runs: 3}, {Mask: "A1B1", Patched: []string{"ann/lib", "bob/app"}}},
		Languages: []string{"Go"}, Interface: []string{}, DenyList: []string{"ann/lib#7"}, ImageBytes: 1 << 40, StatementApproved: true, ChangedLines: 12,
	}
}

func read[T any](t *testing.T, file []byte) []T {
	t.Helper()
	rows, err := parquet.Read[T](bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func TestRowsComeBackInOrder(t *testing.T) {
	rows := []schemas.Instance{instance("b"), instance("a"), instance("c")}
	file, err := Default(rows)
	if err != nil {
		t.Fatal(err)
	}
	want := []schemas.Instance{rows[1], rows[0], rows[2]}
	if d := cmp.Diff(want, read[schemas.Instance](t, file), cmpopts.EquateEmpty()); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestTheSameRowsGiveTheSameBytes(t *testing.T) {
	var rows, backwards []schemas.Instance
	for i := range 600 {
		r := instance(fmt.Sprintf("row-%03d", i))
		r.Patch = strings.Repeat(fmt.Sprintf("line %d\n", i), 500)
		rows, backwards = append(rows, r), append([]schemas.Instance{r}, backwards...)
	}
	for name, f := range map[string]func([]schemas.Instance) ([]byte, error){"default": Default, "swebench": SWEBench} {
		a, errA := f(rows)
		b, errB := f(backwards)
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			t.Errorf("%s: %d and %d bytes differ, %v, %v", name, len(a), len(b), errA, errB)
		}
	}
}

// hostile are rows that have broken other datasets.
func hostile() []schemas.Instance {
	empty, big, many, odd := instance("empty"), instance("big"), instance("many"), instance("odd")
	empty.PassToPass, empty.SingleSideTests, empty.Languages, empty.Interface, empty.DenyList, empty.Masks = nil, nil, nil, nil, nil, nil
	big.Patch = strings.Repeat("+0123456789abcdef\n", 130_000)
	for i := range 20_000 {
		many.PassToPass = append(many.PassToPass, fmt.Sprintf("ann/lib::pkg/%d::TestMany/%05d", i%7, i))
	}
	odd.ProblemStatement, odd.FailToPass = "emoji 🦀, NUL \x00, quotes \" and '\\'\r\n", []string{"a::b::TestX", "a::b::testx"}
	odd.LatestMergeAt = time.Unix(0, 0).UTC()
	return []schemas.Instance{empty, big, many, odd}
}

func TestHostileRowsComeBack(t *testing.T) {
	file, err := Default(hostile())
	if err != nil {
		t.Fatal(err)
	}
	want := hostile()
	want[0], want[1] = want[1], want[0] // by id: big, empty, many, odd
	got := read[schemas.Instance](t, file)
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	if len(file) > 200_000 {
		t.Errorf("the file has %d bytes: a patch stands in it uncompressed", len(file))
	}
	plain, err := SWEBench(hostile())
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range read[Plain](t, plain) {
		var ids []string
		if err := json.Unmarshal([]byte(p.PassToPass), &ids); err != nil || len(ids) != len(want[i].PassToPass) || ids == nil {
			t.Errorf("%s: PASS_TO_PASS: got %d tests, %v", p.InstanceID, len(ids), err)
		}
	}
}

func TestRowGroupsAreSmall(t *testing.T) {
	groups := func(rows []schemas.Instance) (sizes []int64) {
		file, err := Default(rows)
		if err != nil {
			t.Fatal(err)
		}
		f, err := parquet.OpenFile(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range f.RowGroups() {
			sizes = append(sizes, g.NumRows())
		}
		return sizes
	}
	var many, large []schemas.Instance
	for i := range 600 {
		many = append(many, instance(fmt.Sprintf("row-%03d", i)))
	}
	for i := range 9 {
		r := instance(fmt.Sprintf("row-%d", i))
		r.Patch = strings.Repeat("x", 10<<20)
		large = append(large, r)
	}
	if d := cmp.Diff([]int64{256, 256, 88}, groups(many)); d != "" {
		t.Errorf("many rows (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]int64{3, 3, 3}, groups(large)); d != "" {
		t.Errorf("large rows (-want +got):\n%s", d)
	}
	if got := groups(nil); len(got) != 0 {
		t.Errorf("no rows: got groups %v", got)
	}
}

func TestThePageIndexIsThere(t *testing.T) {
	file, err := Default([]schemas.Instance{instance("a")})
	if err != nil {
		t.Fatal(err)
	}
	f, err := parquet.OpenFile(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(f.ColumnIndexes()); n == 0 || len(f.OffsetIndexes()) != n {
		t.Errorf("got %d column indexes and %d offset indexes", n, len(f.OffsetIndexes()))
	}
}

func TestSchemaAndMetadata(t *testing.T) {
	for name, f := range map[string]func([]schemas.Instance) ([]byte, error){"default": Default, "swebench": SWEBench} {
		file, err := f(nil) // a file without rows has the same schema
		if err != nil {
			t.Fatal(err)
		}
		p, err := parquet.OpenFile(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			t.Fatal(err)
		}
		features, ok := p.Lookup("huggingface")
		var pretty bytes.Buffer
		if err := json.Indent(&pretty, []byte(features), "", " "); err != nil || !ok {
			t.Fatal(err)
		}
		golden.Check(t, name+".schema", p.Schema().String()+"\n"+pretty.String()+"\n")
	}
}

func TestIDsThatDifferInCaseOnlyAreRefused(t *testing.T) {
	rows := []schemas.Instance{instance("a-1"), instance("A-1")}
	if _, err := Default(rows); !errors.Is(err, ErrSameID) {
		t.Errorf("default: got %v, want ErrSameID", err)
	}
	if _, err := SWEBench(rows); !errors.Is(err, ErrSameID) {
		t.Errorf("swebench: got %v, want ErrSameID", err)
	}
}
