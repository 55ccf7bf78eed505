package gitrepo

import (
	"context"
	"os/exec"
)

// Command returns a hardened git command on the repository itself, for bulk
// reading that no method offers, such as a log over the whole history. The
// environment keeps out every configuration but the repository's own, hooks,
// replace refs, grafts, prompts and every transport. The caller puts
// --end-of-options before revisions from outside, and must not use it to write.
// Cancelling ctx kills the process.
func (r *Repo) Command(ctx context.Context, args ...string) *exec.Cmd { return nil }
