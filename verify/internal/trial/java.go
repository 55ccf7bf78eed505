package trial

import (
	"bytes"
	"context"
	"io"
	"strings"

	"crossswe/internal/container"
	"crossswe/schemas"
	"crossswe/verify/internal/blame"
)

// packages completes the world of a JVM target: whose a name is, is told by
// the packages of the checkouts. A list that cannot be had is empty.
func (t *trial) packages(ctx context.Context, runner schemas.Runner, w blame.World) blame.World {
	if runner != schemas.RunnerSurefire || t.dead {
		return w
	}
	w.Packages = t.packagesOf(ctx, w.Root)
	for i, s := range w.Siblings {
		w.Siblings[i].Packages = t.packagesOf(ctx, s.Dir)
	}
	return w
}

func (t *trial) packagesOf(ctx context.Context, dir string) []string {
	var out bytes.Buffer
	_, err := t.box.Exec(ctx, container.ExecSpec{
		Cmd:     []string{"find", dir, "-name", "*.java", "-path", "*/src/*", "-printf", `%h\n`, "-o", "-name", "*.kt", "-path", "*/src/*", "-printf", `%h\n`},
		WorkDir: "/", Stdout: &out, Stderr: io.Discard, Timeout: shortStep, MaxOutput: maxOutput,
	})
	if err != nil {
		return nil // as if it held none: the complaint is then the repository's own
	}
	return blame.JavaPackages(strings.Split(out.String(), "\n"))
}
