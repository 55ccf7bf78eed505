// Bench measures how fast mine reads a history, beside git's own
// "git log --format=%B" over the same references in the same run.
//
// Usage:
//
//	bench [-rounds n] [-commits n] [repository …]
//
// Without a repository it makes a history of its own first. It prints the best
// time of each reading, the ratio to git's, and the peak of memory of this
// process and of the largest git process.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"crossswe/internal/gitrepo"
	"crossswe/mine/internal/source/githistory"
)

func main() {
	rounds := flag.Int("rounds", 5, "how often each reading is repeated")
	commits := flag.Int("commits", 30000, "the commits of the history that is made")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := bench(ctx, os.Stdout, flag.Args(), *rounds, *commits); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func bench(ctx context.Context, out io.Writer, dirs []string, rounds, commits int) error {
	if rounds < 1 || commits < 1 {
		return fmt.Errorf("-rounds %d, -commits %d: want 1 or more", rounds, commits)
	}
	if len(dirs) == 0 {
		tmp, err := os.MkdirTemp("", "crossswe-bench-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(tmp)
		dirs = []string{filepath.Join(tmp, "made.git")}
		if err := makeHistory(ctx, dirs[0], commits); err != nil {
			return err
		}
	}
	for _, dir := range dirs {
		if err := one(ctx, out, dir, rounds); err != nil {
			return fmt.Errorf("reading %s: %w", filepath.Base(dir), err)
		}
	}
	var own, children syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &own); err != nil {
		return err
	}
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &children); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "peak memory: %d MB here, %d MB in the largest git process\n", own.Maxrss>>10, children.Maxrss>>10)
	return err
}

// workers is what mine uses.
const workers = 2

// one measures one repository. The readings take turns, so that a slow moment
// of the machine hits all of them.
func one(ctx context.Context, out io.Writer, dir string, rounds int) error {
	repo, err := gitrepo.Open(ctx, dir)
	if err != nil {
		return err
	}
	defer repo.Close()
	var commits, manifests int
	readings := []struct {
		name string
		read func() error
		best time.Duration
		cpu  time.Duration // the least
	}{
		{name: "git log --format=%B", read: func() error { return gitLog(ctx, repo) }},
		{name: "messages", read: func() error {
			commits = 0
			return githistory.Commits(ctx, repo, func(*githistory.Commit) error { commits++; return nil })
		}},
		{name: "messages and manifest changes", read: func() error {
			found, err := githistory.Read(ctx, repo, workers, func(*githistory.Commit) error { return nil })
			manifests = len(found)
			return err
		}},
	}
	for round := range rounds + 1 { // the first warms the caches
		for i := range readings {
			r := &readings[i]
			start, busy := time.Now(), cpu()
			if err := r.read(); err != nil {
				return err
			}
			took := time.Since(start)
			busy = cpu() - busy
			if round == 1 {
				r.best, r.cpu = took, busy
			}
			r.best, r.cpu = min(r.best, took), min(r.cpu, busy)
		}
	}
	fmt.Fprintf(out, "%s: %d commits, %d manifest changes, best of %d\n", filepath.Base(dir), commits, manifests, rounds)
	for _, r := range readings {
		fmt.Fprintf(out, "  %-30s %8.0f ms  %9.0f commits/s  %5.2f times git;  processor %5.0f ms, %5.2f times\n", r.name, float64(r.best.Microseconds())/1000,
			float64(commits)/r.best.Seconds(), r.best.Seconds()/readings[0].best.Seconds(),
			float64(r.cpu.Microseconds())/1000, r.cpu.Seconds()/readings[0].cpu.Seconds())
	}
	return nil
}

// cpu is the processor time of this process and its finished children.
func cpu() time.Duration {
	var sum time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err == nil {
			sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
	}
	return sum
}

// gitLog is git's own reading of the same references.
func gitLog(ctx context.Context, repo *gitrepo.Repo) error {
	cmd := repo.Command(ctx, "log", "--format=%B", "--branches", "--remotes", "--tags", "HEAD", "--")
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, out); err != nil {
		return err
	}
	return cmd.Wait()
}
