package main

import (
	"context"
	"io"
	"log/slog"
	"slices"
	"strings"

	"crossswe/build/internal/assemble"
	"crossswe/build/internal/audit"
	"crossswe/build/internal/sides"
	"crossswe/schemas"
)

// check proves the links of the built image and audits it.
func (s *stage) check(ctx context.Context, env *schemas.Environment, all []sides.Side, log *slog.Logger) error {
	c, err := assemble.Start(ctx, s.engine, string(env.ImageID))
	if err != nil {
		return err
	}
	defer c.Remove(ctx)
	if env.Links, err = assemble.Prove(ctx, c, env.Spec); err != nil {
		return err
	}
	for i, p := range env.Links {
		if !p.Holds {
			return giveUp(schemas.BuildLinkVoid, "%s does not use the checkout of %s for %s: got %q, want %q",
				p.Consumer, p.Provider, p.Name, p.Got, env.Spec.Links[i].Want)
		}
	}
	log.Debug("the links hold; auditing", "links", len(env.Links))
	rules, err := s.rules(ctx, *env, all)
	if err != nil {
		return err
	}
	save, err := s.engine.SaveImage(ctx, string(env.ImageID))
	if err != nil {
		return err
	}
	defer save.Close()
	if env.Audit, err = audit.Image(ctx, save, c, checkouts(env.Spec, all), rules); err != nil {
		return err
	}
	if f := env.Audit.Findings; len(f) > 0 {
		for _, finding := range f {
			log.Info("the audit found", "check", finding.Check, "path", finding.Path, "detail", finding.Detail)
		}
		return giveUp(schemas.BuildAuditFailed, "%d findings, the first: %s: %s: %s", len(f), f[0].Check, f[0].Path, f[0].Detail)
	}
	return nil
}

// checkouts lists the checkouts of the image with what they lack.
func checkouts(spec schemas.Spec, all []sides.Side) []audit.Checkout {
	list := audit.CheckoutsOf(spec)
	for i, s := range all {
		list[i].Missing = s.Missing
	}
	return list
}

func (s *stage) rules(ctx context.Context, env schemas.Environment, all []sides.Side) (audit.Rules, error) {
	var hunks []audit.Hunk
	for _, side := range all {
		gold, err := audit.Hunks(side.Repo, "gold", side.Split.Gold, side.Split.Files)
		if err != nil {
			return audit.Rules{}, err
		}
		test, err := audit.Hunks(side.Repo, "test", side.Split.Test, side.Split.Files)
		if err != nil {
			return audit.Rules{}, err
		}
		hunks = slices.Concat(hunks, gold, test)
	}
	needles, err := audit.NewNeedles(hunks, func(read func(io.Reader) error) error { return sides.EachBase(ctx, all, read) })
	if err != nil {
		return audit.Rules{}, err
	}
	secrets, err := s.secrets(ctx, env)
	return audit.Rules{Needles: needles, Siblings: audit.SiblingsOf(env.Spec), Secrets: secrets}, err
}

// secrets lists the values of build variables that must not be in the image's
// record. A value that a base image sets itself is none.
func (s *stage) secrets(ctx context.Context, env schemas.Environment) ([][]byte, error) {
	var known strings.Builder
	for _, b := range env.Bases {
		img, _, err := s.engine.Image(ctx, string(b.ID))
		if err != nil {
			return nil, err
		}
		known.WriteString(strings.Join(img.Env, "\n"))
	}
	var secrets [][]byte
	for _, value := range s.args {
		if len(value) >= 6 && !strings.Contains(known.String(), value) {
			secrets = append(secrets, []byte(value))
		}
	}
	return secrets, nil
}
