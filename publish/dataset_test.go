package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"crossswe/internal/cli"
	"crossswe/internal/store"
	"crossswe/publish/internal/card"
	"crossswe/schemas"
)

// keep lets scripts/read-back.sh read the dataset of hostile rows with another
// reader.
var keep = flag.String("keep", "", "write the dataset of TestHostileRowsAreWritten to this directory, and its rows to rows.jsonl beside it")

func hostileRows() []schemas.Instance {
	rows := make([]schemas.Instance, 5)
	for i, id := range []string{"big", "empty", "full", "many", "odd"} {
		rows[i] = schemas.Instance{InstanceID: id, Repo: "ann/lib+bob/app", Patch: "diff --git a/x b/x\n", Image: "crossswe/env:1", CreatedAt: at, LatestMergeAt: at.Add(123 * time.Hour),
			FailToPass: []string{"ann/lib::p::TestX"}, Repos: []schemas.InstanceRepo{{Repo: "ann/lib", Dir: "lib", MergedAt: at}, {Repo: "bob/app", Dir: "app", MergedAt: at}}}
	}
	rows[0].Patch = strings.Repeat("+0123456789abcdef\n", 130_000)
	full := &rows[2]
	full.PassToPass, full.JointTests, full.SingleSideTests, full.Languages, full.Interface, full.DenyList = []string{"ann/lib::p::[<a> & (b)]"}, full.FailToPass, full.FailToPass, []string{"Go"}, []string{"WithLimit"}, []string{"ann/lib#7"}
	full.Masks = []schemas.InstanceMask{{Mask: "A0B0", Runs: 3, Failed: 1, Verdict: "fail"}, {Mask: "A1B1", Patched: []string{"ann/lib", "bob/app"}, Runs: 3, Verdict: "pass"}}
	full.ImageBytes, full.StatementApproved, full.ChangedFiles, full.Repos[0].PullNumber = 1<<40, true, 1, 7
	for i := range 20_000 {
		rows[3].PassToPass = append(rows[3].PassToPass, fmt.Sprintf("ann/lib::p/%d::TestMany/%05d", i%7, i))
	}
	rows[4].ProblemStatement, rows[4].FailToPass = "emoji 🦀, NUL \x00, quotes \" and '\\'\r\n\u2028", []string{"ann/lib::p::TestX", "ann/lib::p::testx"}
	return rows
}

func TestHostileRowsAreWritten(t *testing.T) {
	d := newDesk(t)
	var b store.Batch
	for _, r := range hostileRows() {
		b.Records = append(b.Records, r)
		b.Items = append(b.Items, store.Item{Stage: store.StagePublish, ID: r.InstanceID, State: store.Kept, At: at})
	}
	d.commit(b)
	if *keep != "" {
		d.stage.Config.Publish.Directory = *keep
	}
	var out bytes.Buffer
	d.stage.Out = cli.NewOutput(&out, true)
	if err := (&stage{Stage: d.stage, now: func() time.Time { return at }}).dataset(t.Context()); err != nil {
		t.Fatal(err)
	}
	if *keep != "" {
		if err := os.WriteFile(filepath.Join(*keep, "rows.jsonl"), out.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := parquet.ReadFile[schemas.Instance](filepath.Join(d.stage.Config.Publish.Directory, card.DataFile("default")))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(rows) != 5 || len(lines) != 5 {
		t.Fatalf("got %d rows and %d lines, want 5 and 5", len(rows), len(lines))
	}
	for i, r := range rows {
		body, err := json.Marshal(schemas.Line{Record: schemas.KindInstance, Body: r})
		if err != nil || string(body) != lines[i] {
			t.Errorf("row %s differs from its line, %v", r.InstanceID, err)
		}
	}
}
