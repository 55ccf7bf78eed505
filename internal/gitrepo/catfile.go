package gitrepo

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
)

// catFile is a long-lived "git cat-file" process that answers one question at
// a time. It starts at the first question and again after a failure.
type catFile struct {
	repo *Repo
	mode string // --batch or --batch-check
	turn chan struct{}

	cmd       *exec.Cmd
	in        io.WriteCloser
	out       *bufio.Reader
	complaint *headWriter
}

// header is the first line of an answer.
type header struct {
	oid  OID
	kind string // commit, tree, blob or tag; "" when the object is missing
	size int64
}

func newCatFile(r *Repo, mode string) *catFile {
	return &catFile{repo: r, mode: mode, turn: make(chan struct{}, 1)}
}

// ask puts a question, an object name without a line break, and hands the
// answer's header and what follows it to read.
func (c *catFile) ask(ctx context.Context, name string, read func(header, *bufio.Reader) error) error {
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := c.start(ctx); err != nil {
		return err
	}
	process := c.cmd.Process
	stop := context.AfterFunc(ctx, func() { process.Kill() })
	err := c.exchange(name, read)
	if !stop() {
		err = errors.Join(ctx.Err(), err)
	}
	if err != nil {
		return errors.Join(err, c.end())
	}
	return nil
}

// askHeader returns the answer's header of a --batch-check process.
func (c *catFile) askHeader(ctx context.Context, name string) (header, error) {
	var got header
	err := c.ask(ctx, name, func(h header, _ *bufio.Reader) error {
		got = h
		return nil
	})
	return got, err
}

func (c *catFile) exchange(name string, read func(header, *bufio.Reader) error) error {
	if _, err := io.WriteString(c.in, name+"\n"); err != nil {
		return fmt.Errorf("asking git cat-file: %w", err)
	}
	line, err := c.out.ReadString('\n')
	if err != nil {
		return fmt.Errorf("reading from git cat-file: %w", err)
	}
	h, err := parseHeader(strings.TrimSuffix(line, "\n"))
	if err != nil {
		return err
	}
	return read(h, c.out)
}

// start runs the process unless it runs already. It outlives the question, so
// it does not hang on the question's context.
func (c *catFile) start(ctx context.Context) error {
	if c.cmd != nil {
		return nil
	}
	cmd := c.repo.scratchCommand(context.WithoutCancel(ctx), "cat-file", c.mode)
	in, err := cmd.StdinPipe()
	if err != nil {
		return fmt.Errorf("starting git cat-file: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("starting git cat-file: %w", err)
	}
	c.complaint = &headWriter{}
	cmd.Stderr = c.complaint
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting git cat-file: %w", err)
	}
	c.cmd, c.in, c.out = cmd, in, bufio.NewReaderSize(out, 64<<10)
	return nil
}

// end stops the process and returns what it complained about.
func (c *catFile) end() error {
	if c.cmd == nil {
		return nil
	}
	c.in.Close()
	c.cmd.Process.Kill()
	c.cmd.Wait() // it was killed: its status tells nothing
	c.cmd = nil
	if text := c.complaint.text(); text != "" {
		return errors.New(text)
	}
	return nil
}

func (c *catFile) close() {
	c.turn <- struct{}{}
	defer func() { <-c.turn }()
	c.end()
}

// parseHeader reads "OID TYPE SIZE" or "NAME missing".
func parseHeader(line string) (header, error) {
	if strings.HasSuffix(line, " missing") {
		return header{}, nil
	}
	fields := strings.Split(line, " ")
	if len(fields) != 3 {
		return header{}, fmt.Errorf("reading from git cat-file: unexpected answer %q", line)
	}
	size, err := strconv.ParseInt(fields[2], 10, 64)
	if err != nil || size < 0 {
		return header{}, fmt.Errorf("reading from git cat-file: unexpected answer %q", line)
	}
	return header{oid: OID(fields[0]), kind: fields[1], size: size}, nil
}
