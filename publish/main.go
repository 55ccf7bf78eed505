// Publish is the stage that turns verified candidates into a dataset: it
// drafts and checks their problem statements, makes the rows, and writes
// Parquet files and a card made from the data.
package main

import (
	"context"
	"os"
	"runtime/debug"
	"time"

	"crossswe/internal/cli"
	"crossswe/internal/store"
)

const manual = `publish: verified candidates become a dataset.

usage: publish [flags]

For every candidate that verify has kept it drafts a problem statement, checks
it, and makes the row. Rows whose statement nobody has approved wait for screen
approve, unless the section publish of the configuration says otherwise. Then
it writes, to the directory named there, one Parquet file for each config and
the card, README.md. Files that would not change are not touched.

With -json the rows of the dataset are written to standard output.`

func main() {
	opt := cli.Options{Name: store.StagePublish, Manual: manual, Serves: true, Args: os.Args[1:], Stdout: os.Stdout, Stderr: os.Stderr}
	os.Exit(cli.Main(opt, func(ctx context.Context, s *cli.Stage) error {
		return run(ctx, s, time.Now, version())
	}))
}

// version is what the build knows of itself.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "crossswe (unknown)"
	}
	return "crossswe " + info.Main.Version
}
