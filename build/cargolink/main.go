// Cargolink makes the checkouts of a set use one another in Cargo, and proves
// it. It stands in the images of sets with Rust, outside the checkouts, and
// needs cargo on PATH.
//
//	cargolink link -repo DIR               link one repository's workspaces
//	cargolink prove -repo DIR -dir D -crate NAME
//	                                       print the checkout that NAME comes from
//	cargolink restore                      put the lock files back
//	cargolink fetch                        while an image is built: fetch the
//	                                       dependencies of every mask
//
// A link is a copy of the sibling's checkout below /testbed/.link, made of
// symbolic links but for the manifest of the package, whose version is one that
// all consumers allow: Cargo does not use a [patch] of another version, and
// says so in a warning only. The plan is in /opt/crossswe/cargo.json. Exit code
// 1 says that something does not hold, 2 that the call is wrong.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() { os.Exit(program(os.Args[1:], os.Stdout, os.Stderr)) }

// errUsage says that the call is wrong.
var errUsage = errors.New("wrong call")

// program is main without the process.
func program(args []string, stdout, stderr io.Writer) int {
	err := run(args, stdout, stderr)
	if err != nil {
		fmt.Fprintf(stderr, "cargolink: %v\n", err)
	}
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errUsage):
		return 2
	}
	return 1
}

func run(args []string, stdout, stderr io.Writer) error {
	if len(args) == 0 {
		return fmt.Errorf("%w: want link, prove, restore or fetch", errUsage)
	}
	l := linker{offline: true, stderr: stderr}
	var dir, crate string
	f := flag.NewFlagSet(args[0], flag.ContinueOnError)
	f.SetOutput(stderr)
	repo := f.String("repo", "", "the repository's `directory` below the testbed")
	f.StringVar(&dir, "dir", "", "a package's `directory` within the repository")
	f.StringVar(&crate, "crate", "", "the `name` of a package of a sibling")
	f.StringVar(&l.testbed, "testbed", "/testbed", "the `directory` of the checkouts")
	f.StringVar(&l.planFile, "plan", PlanFile, "the `file` with the plan")
	deps := f.String("deps", "/deps/cargo", "the `directory` of the fetch stage")
	if err := f.Parse(args[1:]); err != nil || f.NArg() > 0 {
		return fmt.Errorf("%w: %v", errUsage, f.Args())
	}
	switch args[0] {
	case "fetch":
		return fetch(*deps, l)
	case "link", "prove", "restore":
	default:
		return fmt.Errorf("%w: %q is none of link, prove, restore and fetch", errUsage, args[0])
	}
	if err := l.readPlan(); err != nil {
		return err
	}
	switch args[0] {
	case "link":
		return l.link(*repo)
	case "prove":
		got, err := l.prove(*repo, dir, crate)
		if err == nil {
			fmt.Fprintln(stdout, got)
		}
		return err
	}
	return l.restore()
}

// PlanFile is where the plan of a spec stands.
const PlanFile = "/opt/crossswe/cargo.json"
