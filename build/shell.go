package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"

	"crossswe/internal/cli"
	"crossswe/internal/store"
	"crossswe/schemas"
)

// shell opens the image of a candidate in a container that ends with it, with
// the terminal of this program. The container has no network, as in trials.
func shell(ctx context.Context, s *cli.Stage, in io.Reader, out, stderr io.Writer) error {
	if len(s.Args) != 1 {
		return cli.Usagef("-shell needs the id of one candidate")
	}
	env, ok, err := store.Get[schemas.Environment](ctx, s.Store, s.Args[0])
	if err != nil {
		return err
	}
	if !ok {
		return cli.Usagef("candidate %s has no image: build it first", s.Args[0])
	}
	docker, err := exec.LookPath("docker")
	if err != nil {
		return fmt.Errorf("-shell needs the docker program: %w", err)
	}
	cmd := exec.CommandContext(ctx, docker, "run", "--rm", "--interactive", "--tty", "--network", "none", "--workdir", schemas.TestbedDir, string(env.ImageID), "bash")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, stderr
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		return fmt.Errorf("opening a shell: %w", err)
	}
	if exit != nil && exit.ExitCode() == 125 { // docker's own: what the shell ended with is no fault
		return fmt.Errorf("opening a shell: docker ended with %d", exit.ExitCode())
	}
	return nil
}
