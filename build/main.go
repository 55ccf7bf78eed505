// Build makes a Docker image for every candidate that reviewers kept: the
// repositories side by side at their base commits, the dependencies of base
// and head, and links by which each consumer uses its sibling's checkout.
//
//	build [flags]                  build what is kept and not yet built
//	build [flags] CANDIDATE...     build these
//	build -init CANDIDATE...       write the inferred specs, to be edited
//	build -audit IMAGE...          what the checkouts in any image leak
//	build -shell CANDIDATE         look around in its image
//	build -serve                   build whatever reviewers keep, until stopped
//
// The spec of an environment is inferred from the repositories. An edited one
// in the directory build.specs, named after the candidate, wins over it. An
// image that leaks its own solution, or whose links do not hold, is refused.
package main

import (
	"context"
	"flag"
	"os"
	"path/filepath"

	"crossswe/build/internal/recipe"
	"crossswe/internal/cli"
	"crossswe/internal/store"
)

const manual = `build [flags] [CANDIDATE...]

Builds an image for every kept candidate, or for those named: clean checkouts
at the base commits, dependencies of base and head, and links between the
checkouts, proved and audited. Specs are inferred; build -init CANDIDATE writes
one to build.specs, where it can be edited and is used from then on. build
-audit IMAGE looks into any image, also another dataset's.`

func main() {
	var f flags
	os.Exit(cli.Main(cli.Options{
		Name:   store.StageBuild,
		Manual: manual,
		Serves: true,
		Flags: func(fs *flag.FlagSet) {
			fs.BoolVar(&f.initSpecs, "init", false, "write the inferred specs of the named candidates instead of building")
			fs.BoolVar(&f.audit, "audit", false, "audit the named images, of any origin, instead of building: what their checkouts hold beyond HEAD")
			fs.BoolVar(&f.shell, "shell", false, "open a shell in the image of the named candidate, without a network")
			fs.IntVar(&f.limit, "limit", 0, "build at most `n` candidates, 0 for all")
			f.report = beside(recipe.ReportProgram)
			fs.BoolVar(&f.again, "again", false, "build even what is already built from the same input")
		},
		Args:   os.Args[1:],
		Stdout: os.Stdout,
		Stderr: os.Stderr,
	}, func(ctx context.Context, s *cli.Stage) error { return run(ctx, s, f) }))
}

// beside returns the path of a program that was built along with this one.
func beside(name string) string {
	self, err := os.Executable()
	if err != nil {
		return name
	}
	return filepath.Join(filepath.Dir(self), name)
}
