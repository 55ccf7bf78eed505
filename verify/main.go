// Verify runs every built candidate under all masks of its gold patches and
// says whether the repositories are needed together.
//
//	verify [flags]                 verify what is built and not yet verified
//	verify [flags] CANDIDATE...    verify these
//	verify -explain CANDIDATE      show what a verdict stands on
//	verify -predictions FILE       say which predictions resolve their instances
//	verify -serve                  verify whatever is built, until stopped
//
// Each trial is a fresh container from the candidate's image, on a network
// without a way out: test patches of all repositories, gold patches by mask,
// rebuild, proof of the links, target tests. A test is joint when it passes
// only with all gold patches and is seen to fail without any one of them. A
// candidate whose tests need fewer repositories is dropped and the smaller one
// goes back to build.
package main

import (
	"context"
	"flag"
	"os"

	"crossswe/internal/cli"
	"crossswe/internal/store"
)

const manual = `verify [flags] [CANDIDATE...]

Runs every built candidate, or those named, under all masks of its gold patches
and says whether the repositories are needed together. A candidate is kept when
at least one test passes only with all patches; everything else is dropped with
the verdict as its reason. verify -explain CANDIDATE shows the truth table, what
failed in which mask and how, and where the logs are. verify -predictions FILE
evaluates what models propose for the published instances: SWE-bench's JSON or
JSON lines, or mini-SWE-agent's preds.json, with one patch over all repositories
(model_patch) or one for each (model_patches).`

func main() {
	var f flags
	os.Exit(cli.Main(cli.Options{
		Name:   store.StageVerify,
		Manual: manual,
		Serves: true,
		Flags: func(fs *flag.FlagSet) {
			fs.StringVar(&f.explain, "explain", "", "show the verdict of `CANDIDATE` instead of running anything")
			fs.StringVar(&f.predictions, "predictions", "", "evaluate the predictions of models in `FILE` instead of verifying")
			fs.IntVar(&f.limit, "limit", 0, "verify at most `n` candidates, 0 for all")
			fs.BoolVar(&f.again, "again", false, "verify even what is already verified from the same input")
		},
		Args:   os.Args[1:],
		Stdout: os.Stdout,
		Stderr: os.Stderr,
	}, func(ctx context.Context, s *cli.Stage) error { return run(ctx, s, f) }))
}
