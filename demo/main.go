// Demo shows the whole pipeline on a small world of invented repositories:
// it makes them, runs every stage's program in turn, lets a script play the
// reviewers, and ends with the funnel, the truth tables and the dataset.
//
// usage: demo [-config FILE] [-bin DIR] [-dir DIR]
//
// It is run by make demo, which builds the programs first. A second run finds
// everything done. Exit codes: 0 done, 1 failed, 2 usage, 130 interrupted.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	interrupted := ctx.Err() != nil
	stop()
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
	case errors.Is(err, errUsage):
		os.Exit(2)
	case interrupted:
		fmt.Fprintln(os.Stderr, "demo: interrupted; make demo goes on where it stopped")
		os.Exit(130)
	default:
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

// errUsage says that the flags were wrong; flag has printed why.
var errUsage = errors.New("usage")

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	d := demo{out: stdout, err: stderr}
	fs := flag.NewFlagSet("demo", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.StringVar(&d.config, "config", "examples/demo/pipeline.yaml", "the pipeline's configuration `file`")
	fs.StringVar(&d.reviews, "reviews", "examples/demo/decisions.jsonl", "the `file` of what the scripted reviewers say")
	fs.StringVar(&d.bin, "bin", "bin", "the `directory` of the stages' programs")
	fs.StringVar(&d.dir, "dir", "demo/world", "the `directory` of the world")
	if err := fs.Parse(args); errors.Is(err, flag.ErrHelp) {
		return err
	} else if err != nil {
		return errUsage
	}
	return d.play(ctx)
}
