package assemble

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"crossswe/internal/container"
	"crossswe/schemas"
)

// standInLabel marks images that were made on this machine under an official
// image's name.
const standInLabel = "crossswe.standin"

// Bases finds the images that a spec starts from, pulling those that are not
// there. The error wraps container.ErrNoImage when one cannot be had.
func Bases(ctx context.Context, engine *container.Engine, spec schemas.Spec) ([]schemas.BaseUsed, error) {
	refs := []schemas.ImageRef{spec.Base}
	for _, t := range spec.Toolchains {
		if t.Image != "" {
			refs = append(refs, t.Image)
		}
	}
	var used []schemas.BaseUsed
	for _, ref := range refs {
		img, ok, err := engine.Image(ctx, string(ref))
		if err == nil && !ok {
			img, err = engine.Pull(ctx, string(ref))
		}
		if err != nil {
			return nil, fmt.Errorf("finding base image %s: %w", ref, err)
		}
		used = append(used, baseUsed(ref, img))
	}
	return used, nil
}

func baseUsed(ref schemas.ImageRef, img container.Image) schemas.BaseUsed {
	b := schemas.BaseUsed{Image: ref, ID: schemas.Digest(img.ID)}
	name, _, _ := strings.Cut(string(ref), ":")
	for _, d := range img.RepoDigests {
		if strings.HasPrefix(d, name+"@") {
			b.RepoDigest = schemas.ImageRef(d)
		}
	}
	_, b.StandIn = img.Labels[standInLabel]
	return b
}

// Pins returns the names under which a Dockerfile takes the bases: by digest
// where the image came from a registry, else by its id on this machine.
func Pins(used []schemas.BaseUsed) map[schemas.ImageRef]string {
	pins := map[schemas.ImageRef]string{}
	for _, b := range used {
		pins[b.Image] = string(b.RepoDigest)
		if b.RepoDigest == "" {
			pins[b.Image] = string(b.ID)
		}
	}
	return pins
}

// BuildOptions are the surroundings of an image build.
type BuildOptions struct {
	Tag     string
	Args    map[string]string
	Labels  map[string]string
	Timeout time.Duration
	NoCache bool
}

// Build builds the image and returns its log beside it, also when it failed.
// The error is a *container.BuildError when a step failed.
func (c *Context) Build(ctx context.Context, engine *container.Engine, opt BuildOptions) (container.Image, []byte, error) {
	var log bytes.Buffer
	img, err := engine.Build(ctx, container.BuildSpec{
		Tag:        opt.Tag,
		Dockerfile: c.Plan.Dockerfile,
		Context:    c.Write,
		Args:       opt.Args,
		Labels:     opt.Labels,
		Timeout:    opt.Timeout,
		NoCache:    opt.NoCache,
		Log:        &log,
	})
	return img, log.Bytes(), err
}

// Limits of the containers in which links are proved and images audited.
const (
	proofTimeout = 2 * time.Minute
	proofMemory  = 2 << 30
	proofPids    = 512
)

// Start starts a container of the image that has no network.
func Start(ctx context.Context, engine *container.Engine, image string) (*container.Container, error) {
	return engine.Start(ctx, container.Spec{
		Image: image, Network: container.NetworkNone,
		CPUs: 2, MemoryBytes: proofMemory, PidsLimit: proofPids,
	})
}

// Prove runs the proof of every link of the spec in the container.
func Prove(ctx context.Context, c *container.Container, spec schemas.Spec) ([]schemas.LinkProof, error) {
	dirs := map[string]string{}
	for _, r := range spec.Repos {
		dirs[r.Repo.Key()] = path.Join(schemas.TestbedDir, r.Dir)
	}
	proofs := []schemas.LinkProof{}
	for _, l := range spec.Links {
		got, err := proof(ctx, c, dirs[l.Consumer.Key()], l.Prove)
		if err != nil {
			return nil, fmt.Errorf("proving that %s uses the checkout of %s: %w", l.Consumer, l.Provider, err)
		}
		proofs = append(proofs, schemas.LinkProof{
			Consumer: l.Consumer, Provider: l.Provider, Name: l.Name, Got: got, Holds: got == l.Want,
		})
	}
	return proofs, nil
}

// maxProof bounds a proof's output.
const maxProof = 4096

func proof(ctx context.Context, c *container.Container, dir string, cmd schemas.Command) (string, error) {
	var out, stderr bytes.Buffer
	timeout := proofTimeout
	if cmd.Timeout > 0 {
		timeout = time.Duration(cmd.Timeout) * time.Second
	}
	res, err := c.Exec(ctx, container.ExecSpec{
		Cmd: cmd.Run, WorkDir: path.Join(dir, cmd.Dir), Env: cmd.Env,
		Stdout: &out, Stderr: &stderr, Timeout: timeout, MaxOutput: maxProof,
	})
	switch {
	case err != nil:
		return "", err
	case res.Died:
		return "", errors.New("the container ended")
	case res.TimedOut:
		return "no answer in time", nil
	case res.ExitCode != 0:
		return fmt.Sprintf("exit code %d: %s", res.ExitCode, firstLine(stderr.String())), nil
	}
	return strings.TrimSpace(out.String()), nil
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

// Facts says where the image was built.
func Facts(ctx context.Context, engine *container.Engine) (schemas.HostFacts, error) {
	h, err := engine.Host(ctx)
	return schemas.HostFacts{Arch: h.Arch, CPU: h.CPUModel, CPUs: h.CPUs, Kernel: h.Kernel, Engine: h.Engine}, err
}
