package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"crossswe/internal/agreement"
	"crossswe/internal/atomicfile"
	"crossswe/internal/cli"
	"crossswe/internal/store"
	"crossswe/publish/internal/card"
	"crossswe/publish/internal/shard"
	"crossswe/schemas"
)

// dataset writes the files of everything that is kept. A file that has the
// same bytes already is not touched.
func (p *stage) dataset(ctx context.Context) error {
	rows, err := p.rows(ctx)
	if err != nil {
		return err
	}
	if nothing, err := p.nothingToSay(ctx, rows); nothing || err != nil {
		return err
	}
	text, err := p.card(ctx, rows)
	if err != nil {
		return err
	}
	files := map[string][]byte{"README.md": []byte(text)}
	for config, write := range map[string]func([]schemas.Instance) ([]byte, error){"default": shard.Default, "swebench": shard.SWEBench} {
		if files[card.DataFile(config)], err = write(rows); err != nil {
			return fmt.Errorf("making the config %s: %w", config, err)
		}
	}
	for _, name := range []string{card.DataFile("default"), card.DataFile("swebench"), "README.md"} {
		if err := p.write(ctx, name, files[name]); err != nil {
			return err
		}
	}
	p.Log.Info("dataset", "rows", len(rows), "directory", p.Config.Publish.Directory)
	p.Out.Textf("%d rows\n", len(rows))
	for _, r := range rows {
		p.Out.Record(r)
	}
	return nil
}

// nothingToSay reports that no row was ever made: then the directory is left
// as it is. It refuses a directory whose README.md is somebody else's.
func (p *stage) nothingToSay(ctx context.Context, rows []schemas.Instance) (bool, error) {
	file := filepath.Join(p.Config.Publish.Directory, "README.md")
	old, err := os.ReadFile(file)
	if err == nil && !bytes.Contains(old, []byte(card.Mark)) {
		return false, cli.Usagef("publish.directory: %s is no card of ours and is not overwritten: name another directory", file)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, fmt.Errorf("reading what was published: %w", err)
	}
	if len(rows) > 0 {
		return false, nil
	}
	ever, err := store.All[schemas.Instance](ctx, p.Store)
	if err != nil || len(ever) > 0 {
		return false, err
	}
	p.Out.Textf("nothing to publish\n")
	return true, nil
}

// rows reads the instances that are kept, ordered by id.
func (p *stage) rows(ctx context.Context) ([]schemas.Instance, error) {
	items, err := p.Store.Items(ctx, store.StagePublish, store.Kept)
	if err != nil {
		return nil, err
	}
	var rows []schemas.Instance
	for _, it := range items {
		r, ok, err := store.Get[schemas.Instance](ctx, p.Store, it.ID)
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, fmt.Errorf("%s is kept and has no row", it.ID)
		}
		rows = append(rows, r)
	}
	return rows, nil
}

func (p *stage) card(ctx context.Context, rows []schemas.Instance) (string, error) {
	in := card.Input{Name: p.Config.Publish.Name, Rows: rows, Canary: p.Config.Publish.Canary}
	funnel, err := p.Store.Funnel(ctx)
	if err != nil {
		return "", err
	}
	for _, f := range funnel {
		in.Funnel = append(in.Funnel, card.Outcome{Stage: string(f.Stage), State: string(f.State), Reason: f.Reason, Count: f.Count})
	}
	reviews, err := store.All[schemas.Review](ctx, p.Store)
	if err != nil {
		return "", err
	}
	in.Reviews = agreement.Krippendorff(agreement.Choices(agreement.Blind(reviews)))
	return card.Text(in), nil
}

func (p *stage) write(ctx context.Context, name string, body []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	file := filepath.Join(p.Config.Publish.Directory, filepath.FromSlash(name))
	old, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("reading what was published: %w", err)
	}
	if err == nil && bytes.Equal(old, body) {
		p.Out.Textf("unchanged  %s\n", file)
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return fmt.Errorf("making the dataset's directory: %w", err)
	}
	if err := atomicfile.Write(file, body); err != nil {
		return fmt.Errorf("writing %s: %w", file, err)
	}
	p.Out.Textf("written    %s\n", file)
	return nil
}
