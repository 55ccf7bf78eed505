package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"crossswe/build/internal/infer"
	"crossswe/build/internal/recipe"
	"crossswe/build/internal/sides"
	"crossswe/internal/atomicfile"
	"crossswe/internal/config"
	"crossswe/schemas"
)

// editedSpec is a spec file of the directory build.specs; body is nil when
// there is none.
type editedSpec struct {
	file string
	body []byte
}

func readSpec(dir string, id schemas.CandidateID) (editedSpec, error) {
	e := editedSpec{file: filepath.Join(dir, string(id)+".yaml")}
	body, err := os.ReadFile(e.file)
	if errors.Is(err, fs.ErrNotExist) {
		return e, nil
	}
	if err != nil {
		return e, fmt.Errorf("reading the edited spec: %w", err)
	}
	e.body = body
	return e, nil
}

// parse reads the spec, refusing unknown keys.
func (e editedSpec) parse() (schemas.Spec, error) {
	var s schemas.Spec
	dec := yaml.NewDecoder(bytes.NewReader(e.body))
	dec.KnownFields(true)
	if err := dec.Decode(&s); err != nil {
		return s, giveUp(schemas.BuildBadSpec, "%s: %v", e.file, err)
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return s, giveUp(schemas.BuildBadSpec, "%s: more than one document", e.file)
	}
	return s, nil
}

// input hashes everything that the outcome follows from.
func input(c schemas.Candidate, e editedSpec, b config.Build, report schemas.Digest) (string, error) {
	body, err := json.Marshal(c)
	if err != nil {
		return "", fmt.Errorf("hashing candidate %s: %w", c.ID, err)
	}
	h := sha256.New()
	fmt.Fprintf(h, "%d %d %s\n%s\n%+v\n%s\n%d\n%s", recipe.Version, infer.Version, report, b.History, images(b), body, len(e.body), e.body)
	return hex.EncodeToString(h.Sum(nil)), nil
}

// spec returns the edited spec, or the inferred one.
func (s *stage) spec(ctx context.Context, it item, all []sides.Side) (schemas.Spec, error) {
	spec, err := s.draft(ctx, it, all)
	if err != nil {
		return spec, err
	}
	if err := spec.Validate(); err != nil {
		return spec, giveUp(schemas.BuildBadSpec, "%s: %v", it.spec.file, err)
	}
	return spec, fits(spec, it, all)
}

func (s *stage) draft(ctx context.Context, it item, all []sides.Side) (schemas.Spec, error) {
	if it.spec.body != nil {
		return it.spec.parse()
	}
	return s.infer(ctx, it.candidate, all)
}

func (s *stage) infer(ctx context.Context, c schemas.Candidate, all []sides.Side) (schemas.Spec, error) {
	repos, err := sides.Snapshots(ctx, all)
	if err != nil {
		return schemas.Spec{}, err
	}
	return infer.Spec(c, repos, infer.Options{Images: images(s.Config.Build), History: s.Config.Build.History})
}

func images(b config.Build) infer.Images {
	return infer.Images{
		Go:     b.GoImage,
		Node:   b.NodeImage,
		Python: b.PythonImage,
		Rust:   b.RustImage,
		Java:   b.JavaImage,
		CMake:  b.CMakeImage,
	}
}

// fits checks that the spec is about the candidate, and takes its directories over.
func fits(spec schemas.Spec, it item, all []sides.Side) error {
	if spec.Candidate != it.candidate.ID || len(spec.Repos) != len(all) {
		return giveUp(schemas.BuildBadSpec, "%s: it is about %s with %d repositories, not %s with %d",
			it.spec.file, spec.Candidate, len(spec.Repos), it.candidate.ID, len(all))
	}
	for i, r := range spec.Repos {
		if !r.Repo.Same(all[i].Repo) || r.Base != all[i].Base {
			return giveUp(schemas.BuildBadSpec, "%s: repos[%d] is %s at %s, the candidate's is %s at %s",
				it.spec.file, i, r.Repo, r.Base.Short(), all[i].Repo, all[i].Base.Short())
		}
		all[i].Dir = r.Dir
	}
	return nil
}

// specDigest is the hash of the spec without the guesses, which are for people.
func specDigest(spec schemas.Spec) (schemas.Digest, error) {
	spec.Guesses = nil
	body, err := json.Marshal(spec)
	if err != nil {
		return "", fmt.Errorf("hashing the spec: %w", err)
	}
	return schemas.DigestOf(body), nil
}

// writeSpecs writes the inferred specs for people to edit. A file that is
// there already is never written over.
func (s *stage) writeSpecs(ctx context.Context) error {
	for _, id := range s.Args {
		it, err := s.item(ctx, id)
		if err != nil {
			return err
		}
		if it.spec.body != nil {
			return fmt.Errorf("%s is there already: remove it to have the spec inferred anew", it.spec.file)
		}
		all, err := sides.Open(ctx, s.set, it.candidate)
		if err != nil {
			return err
		}
		spec, err := s.infer(ctx, it.candidate, all)
		var refusal *infer.Refusal
		if err != nil && !errors.As(err, &refusal) {
			return err
		}
		if err := writeSpec(it.spec.file, spec, refusal); err != nil {
			return err
		}
		s.Out.Textf("%s\n", it.spec.file)
	}
	return nil
}

func writeSpec(file string, spec schemas.Spec, refusal *infer.Refusal) error {
	guesses := spec.Guesses
	spec.Guesses = nil
	var b bytes.Buffer
	fmt.Fprintf(&b, "# The environment of %s. Edit it and run build again: this file wins over inference.\n", spec.Candidate)
	if refusal != nil {
		fmt.Fprintf(&b, "#\n# It is not complete (%s): %s\n", refusal.Reason, oneLine(refusal.Detail))
	}
	b.WriteString("#\n# Where the values come from:\n")
	for _, g := range guesses {
		fmt.Fprintf(&b, "#   %s: %s\n", oneLine(g.Field), oneLine(g.From))
	}
	b.WriteString("\n")
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := errors.Join(enc.Encode(spec), enc.Close()); err != nil {
		return fmt.Errorf("writing the spec: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return fmt.Errorf("writing the spec: %w", err)
	}
	return atomicfile.Write(file, b.Bytes())
}

// imageTag is the name of the image of a spec.
func imageTag(d schemas.Digest) string { return "crossswe/env:" + strings.ToLower(d.Hex()[:32]) }
