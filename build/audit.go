package main

import (
	"context"
	"fmt"

	"crossswe/build/internal/assemble"
	"crossswe/build/internal/audit"
	"crossswe/internal/cli"
	"crossswe/internal/container"
)

// auditAll prints what lies in images of any origin that the commits of
// their checkouts do not come from. An image with findings makes the run fail.
func auditAll(ctx context.Context, s *cli.Stage) error {
	if len(s.Args) == 0 {
		return cli.Usagef("-audit needs the names of images")
	}
	if s.Out.JSON() {
		return cli.Usagef("-audit writes for people: leave -json out")
	}
	e, err := engine(ctx)
	if err != nil {
		return err
	}
	defer e.Close()
	found := 0
	for _, image := range s.Args {
		n, err := auditAny(ctx, e, image, s.Out)
		if err != nil {
			return fmt.Errorf("auditing %s: %w", image, err)
		}
		found += n
	}
	if found > 0 {
		return fmt.Errorf("%d findings", found)
	}
	return nil
}

func auditAny(ctx context.Context, e *container.Engine, image string, out *cli.Output) (findings int, err error) {
	if _, there, err := e.Image(ctx, image); err != nil || !there {
		if err == nil {
			err = fmt.Errorf("%w: pull or load it first", container.ErrNoImage)
		}
		return 0, err
	}
	c, err := assemble.Start(ctx, e, image)
	if err != nil {
		return 0, err
	}
	defer c.Remove(ctx)
	save, err := e.SaveImage(ctx, image)
	if err != nil {
		return 0, err
	}
	defer save.Close()
	a, err := audit.Foreign(ctx, save, c)
	if err != nil {
		return 0, err
	}
	out.Textf("%s\n", image)
	for _, check := range a.Checks {
		out.Textf("  looked at %d %s\n", check.Looked, check.Subject)
	}
	for _, f := range a.Findings {
		out.Textf("  %s: %s: %s\n", f.Check, f.Path, f.Detail)
	}
	if a.Clean {
		out.Textf("  clean\n")
	}
	return len(a.Findings), nil
}
