// Mine finds changes of several repositories that may belong together. It
// reads the histories of the repositories that pipeline.yaml names, follows
// what people wrote in commit messages and what their dependency manifests
// moved, and writes candidates with a score, and drops with a reason.
//
// Usage:
//
//	mine [-config pipeline.yaml] [-v] [-json] [-limit n] [-dry-run]
//	mine -add owner/a@BASE..HEAD owner/b@BASE..HEAD …
//
// A second run over unchanged repositories does nothing. With -add it makes
// one candidate by hand, of the ranges named, and mines nothing.
package main

import (
	"context"
	"flag"
	"os"
	"time"

	"crossswe/internal/cli"
	"crossswe/internal/store"
)

const manual = `mine finds changes of several repositories that may belong together, in the
histories of the repositories that pipeline.yaml names.

  mine [flags]                                            mine the histories
  mine -add owner/a@BASE..HEAD owner/b@BASE..HEAD …       make one candidate by hand`

func main() {
	var opt options
	code := cli.Main(cli.Options{
		Name:   store.StageMine,
		Manual: manual,
		Serves: true,
		Flags: func(fs *flag.FlagSet) {
			fs.BoolVar(&opt.add, "add", false, "make one candidate of the ranges that follow")
			fs.IntVar(&opt.limit, "limit", 0, "keep at most this many new candidates, the strongest; 0 for all")
			fs.BoolVar(&opt.dryRun, "dry-run", false, "say what would be found and write nothing")
		},
		Args: os.Args[1:], Stdout: os.Stdout, Stderr: os.Stderr,
	}, func(ctx context.Context, s *cli.Stage) error {
		return run(ctx, s, opt, time.Now)
	})
	os.Exit(code)
}
