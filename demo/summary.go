package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"crossswe/internal/cli"
	"crossswe/internal/config"
	"crossswe/internal/store"
	"crossswe/schemas"
)

// summary ends the showing: the truth tables, the funnel, and where things are.
func (d *demo) summary(ctx context.Context) error {
	c, err := config.Read(d.config)
	if err != nil {
		return err
	}
	s, err := store.Open(ctx, c.Store.Place())
	if err != nil {
		return err
	}
	defer s.Close()
	verdicts, err := store.All[schemas.Verdict](ctx, s)
	if err != nil {
		return err
	}
	fmt.Fprintf(d.out, "\n== truth tables\n")
	for _, v := range verdicts {
		truthTable(d.out, v)
	}
	rows, err := s.Funnel(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(d.out, "\n== the funnel\n")
	for _, stage := range store.Stages {
		fmt.Fprintf(d.out, "%-8s %s\n", stage, cli.FunnelLine(stage, rows))
	}
	return d.results(c)
}

func (d *demo) results(c *config.Config) error {
	files, err := filepath.Glob(filepath.Join(c.Publish.Directory, "data", "*", "*.parquet"))
	if err != nil {
		return fmt.Errorf("looking for the dataset: %w", err)
	}
	if len(files) == 0 {
		return fmt.Errorf("no Parquet file in %s", c.Publish.Directory)
	}
	fmt.Fprintf(d.out, "\n== the dataset\nParquet  %s\ncard     %s\n", strings.Join(files, "\n         "), filepath.Join(c.Publish.Directory, "README.md"))
	return nil
}

// truthTable writes one candidate's masks: which repositories have their
// change, and what became of the tests.
func truthTable(w io.Writer, v schemas.Verdict) {
	var repos []string
	for i, r := range v.Repos {
		repos = append(repos, fmt.Sprintf("%c %s", 'A'+i, r))
	}
	fmt.Fprintf(w, "\n%s: %s\n", strings.Join(repos, ", "), strings.ToUpper(string(v.Kind)))
	fmt.Fprintf(w, "  %s\n", v.Reason)
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tab, "  mask\tpassed\tfailed\terrored\tnot run\tall fail-to-pass tests\twhy not")
	for _, m := range v.Masks {
		fmt.Fprintf(tab, "  %s\t%d\t%d\t%d\t%d\t%s\t%s\n", m.Name, m.Passed, m.Failed, m.Errored, m.NotRun, m.Outcome, m.Failure)
	}
	tab.Flush()
	for _, id := range v.Joint {
		fmt.Fprintf(w, "  joint: %s\n", id)
	}
	for _, id := range v.Flaky {
		fmt.Fprintf(w, "  flaky: %s\n", id)
	}
}
