package audit

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"crossswe/schemas"
)

// maxArchive bounds an archive in a layer that is looked into; one file of it
// is bounded too, against bombs.
const (
	maxArchive = 512 << 20
	maxMember  = 1 << 30
	maxJSON    = 8 << 20
	maxDepth   = 3 // an archive in an archive in an archive
)

// Rules are what the layers of one image are held against.
type Rules struct {
	Needles *Needles
	// Checkouts are the directories of the checkouts, absolute.
	Checkouts []string
	Siblings  []Sibling
	// Secrets are values of build variables that must be nowhere.
	Secrets [][]byte
}

// layerAudit goes through the layers of one image.
type layerAudit struct {
	rules    Rules
	findings []schemas.AuditFinding
	layer    string
	layers   int
	files    int
	archives int
	packs    map[string]string // checkout → its one pack
}

// maxFindings bounds a report: the first ones tell.
const maxFindings = 200

func (a *layerAudit) add(check, file, format string, args ...any) {
	if len(a.findings) < maxFindings {
		a.findings = append(a.findings, schemas.AuditFinding{Check: check, Layer: a.layer, Path: file, Detail: fmt.Sprintf(format, args...)})
	}
}

// image reads an image as "docker save" writes it, in the old layout
// (<id>/layer.tar) or the new one (blobs/sha256/<digest>): what looks like a
// tar is a layer, what looks like JSON is configuration.
func (a *layerAudit) image(r io.Reader) error {
	outer := tar.NewReader(r)
	for {
		h, err := outer.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading the image: %w", err)
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		if err := a.blob(h.Name, bufio.NewReaderSize(outer, 1<<16)); err != nil {
			return fmt.Errorf("reading %s of the image: %w", h.Name, err)
		}
	}
}

func (a *layerAudit) blob(name string, r *bufio.Reader) error {
	head, err := r.Peek(512)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	switch {
	case isTar(head):
		a.layer = layerName(name)
		a.layers++
		return a.tree(tar.NewReader(r))
	case bytes.HasPrefix(head, gzipMagic):
		z, err := gzip.NewReader(r)
		if err != nil {
			return err
		}
		a.layer = layerName(name)
		a.layers++
		return a.tree(tar.NewReader(z))
	case json.Valid(head) || bytes.HasPrefix(bytes.TrimSpace(head), []byte("{")) || bytes.HasPrefix(bytes.TrimSpace(head), []byte("[")):
		return a.config(name, r)
	}
	return nil
}

// layerName is the id by which the engine's save names a layer, cut.
func layerName(name string) string {
	name = strings.TrimPrefix(strings.TrimSuffix(name, "/layer.tar"), "blobs/sha256/")
	return name[:min(len(name), 12)]
}

var gzipMagic = []byte{0x1f, 0x8b}

// isTar knows tar by its magic; a layer without any file is zeros.
func isTar(head []byte) bool {
	if len(head) < 512 {
		return false
	}
	return string(head[257:262]) == "ustar" || bytes.Equal(head, make([]byte, 512))
}

// config looks for values of build variables in the image's own record.
func (a *layerAudit) config(name string, r io.Reader) error {
	a.layer = ""
	body, err := io.ReadAll(io.LimitReader(r, maxJSON))
	if err != nil {
		return err
	}
	for _, s := range a.rules.Secrets {
		if bytes.Contains(body, s) {
			a.add(checkVariables, name, "the image's record holds the value of a build variable")
		}
	}
	return a.content(name, bytes.NewReader(body), 0)
}

func (a *layerAudit) tree(t *tar.Reader) error {
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		file := path.Join("/", h.Name)
		a.path(file, h)
		if h.Typeflag != tar.TypeReg || h.Size == 0 {
			continue
		}
		a.files++
		if err := a.regular(file, t); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
}

// regular holds one file of a layer against the rules about content.
func (a *layerAudit) regular(file string, r io.Reader) error {
	r, err := a.copies(file, file, r)
	if err != nil {
		return err
	}
	return a.content(file, r, 0)
}

// copies looks for an installed copy of a sibling in the file that tells of it,
// and returns what reads the file anew. name is its path, within an archive if
// it is in one.
func (a *layerAudit) copies(file, name string, r io.Reader) (io.Reader, error) {
	for _, s := range a.rules.Siblings {
		if !s.tells(name) {
			continue
		}
		body, err := io.ReadAll(io.LimitReader(r, maxJSON))
		if err != nil {
			return nil, err
		}
		if why := s.in(body); why != "" {
			a.add(checkSiblings, file, "%s", why)
		}
		r = io.MultiReader(bytes.NewReader(body), r)
	}
	return r, nil
}

// path holds one path of a layer against the rules about names.
func (a *layerAudit) path(file string, h *tar.Header) {
	for _, s := range a.rules.Siblings {
		if why := s.at(file, h.Typeflag); why != "" {
			a.add(checkSiblings, file, "%s", why)
		}
	}
	if strings.Contains(path.Base(file), whiteout) {
		return
	}
	a.gitPath(file, h.Typeflag)
}

const whiteout = ".wh."

// content looks for hunks in a file, and in the files of an archive.
func (a *layerAudit) content(file string, r io.Reader, depth int) error {
	b := bufio.NewReaderSize(r, 1<<16)
	head, err := b.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if depth < maxDepth {
		switch {
		case bytes.HasPrefix(head, []byte("PK\x03\x04")):
			return a.zip(file, b, depth)
		case bytes.HasPrefix(head, gzipMagic):
			return a.gzip(file, b, depth)
		}
	}
	return a.text(file, b)
}

// text scans content; a tar's members are scanned by that too, as they lie in
// it as they are.
func (a *layerAudit) text(file string, r io.Reader) error {
	leaked, err := a.rules.Needles.In(io.LimitReader(r, maxMember))
	if err != nil {
		return err
	}
	for _, h := range leaked {
		a.add(checkHunks, file, "a hunk of the %s patch of %s, %s: %.80q", h.Patch, h.Repo, h.Path, h.Lines[0])
	}
	return nil
}

// gzip looks into a compressed file. One that only begins like it is scanned
// as it is.
func (a *layerAudit) gzip(file string, r *bufio.Reader, depth int) error {
	head, err := r.Peek(512)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if _, err := gzip.NewReader(bytes.NewReader(head)); err != nil {
		return a.text(file, r)
	}
	z, err := gzip.NewReader(r)
	if err != nil {
		return a.text(file, r)
	}
	a.archives++
	return a.content(file, readable{z}, depth+1)
}

// readable ends at the first fault of a broken archive: what can be read of it
// has been looked at.
type readable struct{ r io.Reader }

func (b readable) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if err != nil {
		err = io.EOF
	}
	return n, err
}

func (a *layerAudit) zip(file string, r io.Reader, depth int) error {
	body, err := io.ReadAll(io.LimitReader(r, maxArchive))
	if err != nil {
		return err
	}
	a.archives++
	z, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		return a.text(file, bytes.NewReader(body))
	}
	for _, m := range z.File {
		f, err := m.Open()
		if err != nil {
			continue
		}
		// A cache of pip's keeps wheels under names that tell nothing.
		in, err := a.copies(file+"!"+m.Name, m.Name, readable{f})
		if err == nil {
			err = a.content(file+"!"+m.Name, in, depth+1)
		}
		f.Close()
		if err != nil {
			return err
		}
	}
	return nil
}
