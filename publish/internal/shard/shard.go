// Package shard writes rows as Parquet: the same rows give the same bytes,
// lists are never null, and the schema is that of the row's type, whatever the
// rows hold. It is pure; the caller writes the bytes to a file.
package shard

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"crossswe/schemas"
)

// A row group is what a reader, and the Hub's viewer, loads at once; the
// viewer refuses one of more than 286 MB uncompressed.
const (
	maxGroupRows  = 256
	maxGroupBytes = 32 << 20
)

// blobs are the columns whose bounds nobody asks for. Bounds stand whole and
// uncompressed in the footer: a patch of 2 MB would be there twice.
var blobs = [][]string{
	{"patch"}, {"test_patch"}, {"problem_statement"}, {"hints_text"}, {"eval_script"}, {"provenance"},
	{"repos", "list", "element", "patch"}, {"repos", "list", "element", "test_patch"}, {"FAIL_TO_PASS"}, {"PASS_TO_PASS"},
}

// ErrSameID says that two rows have the same id, case left aside: image names
// and file systems know no case.
var ErrSameID = errors.New("two rows have the same instance_id but for case")

func unique(rows []schemas.Instance) error {
	seen := map[string]bool{}
	for _, r := range rows {
		key := strings.ToLower(r.InstanceID)
		if seen[key] {
			return fmt.Errorf("%s: %w", r.InstanceID, ErrSameID)
		}
		seen[key] = true
	}
	return nil
}

// Default writes the rows of the config "default": native lists and times. The
// error is ErrSameID when ids are not unique.
func Default(rows []schemas.Instance) ([]byte, error) {
	if err := unique(rows); err != nil {
		return nil, err
	}
	sorted := slices.SortedFunc(slices.Values(rows), func(a, b schemas.Instance) int { return cmp.Compare(a.InstanceID, b.InstanceID) })
	for i := range sorted {
		sorted[i] = schemas.FillLists(sorted[i])
	}
	return write(sorted, func(r schemas.Instance) int {
		size := len(r.Patch) + len(r.TestPatch) + len(r.EvalScript) + len(r.ProblemStatement)
		for _, repo := range r.Repos {
			size += len(repo.Patch) + len(repo.TestPatch)
		}
		for _, ids := range [][]string{r.FailToPass, r.PassToPass, r.JointTests, r.SingleSideTests} {
			for _, id := range ids {
				size += len(id) + 4
			}
		}
		return size
	})
}

// SWEBench writes the rows of the config "swebench": SWE-bench's columns
// alone, with its types: lists of tests are JSON strings, times are strings.
// The error is ErrSameID when ids are not unique.
func SWEBench(rows []schemas.Instance) ([]byte, error) {
	if err := unique(rows); err != nil {
		return nil, err
	}
	var plain []Plain
	for _, r := range rows {
		p, err := plainOf(r)
		if err != nil {
			return nil, err
		}
		plain = append(plain, p)
	}
	slices.SortFunc(plain, func(a, b Plain) int { return cmp.Compare(a.InstanceID, b.InstanceID) })
	return write(plain, func(p Plain) int {
		return len(p.Patch) + len(p.TestPatch) + len(p.EvalScript) + len(p.FailToPass) + len(p.PassToPass)
	})
}

// Plain is a row of the config "swebench".
type Plain struct {
	InstanceID             string `parquet:"instance_id"`
	Repo                   string `parquet:"repo"`
	BaseCommit             string `parquet:"base_commit"`
	Patch                  string `parquet:"patch"`
	TestPatch              string `parquet:"test_patch"`
	ProblemStatement       string `parquet:"problem_statement"`
	HintsText              string `parquet:"hints_text"`
	CreatedAt              string `parquet:"created_at"` // RFC 3339
	Version                string `parquet:"version"`
	FailToPass             string `parquet:"FAIL_TO_PASS"` // JSON
	PassToPass             string `parquet:"PASS_TO_PASS"` // JSON
	EnvironmentSetupCommit string `parquet:"environment_setup_commit"`
	Image                  string `parquet:"image"`
	ImageName              string `parquet:"image_name"`
	EvalScript             string `parquet:"eval_script"`
	LogParser              string `parquet:"log_parser"`
	EvalType               string `parquet:"eval_type"`
}

func plainOf(r schemas.Instance) (Plain, error) {
	f2p, err := jsonList(r.FailToPass)
	if err != nil {
		return Plain{}, err
	}
	p2p, err := jsonList(r.PassToPass)
	if err != nil {
		return Plain{}, err
	}
	return Plain{
		InstanceID: r.InstanceID, Repo: r.Repo, BaseCommit: r.BaseCommit, Patch: r.Patch, TestPatch: r.TestPatch,
		ProblemStatement: r.ProblemStatement, HintsText: r.HintsText, CreatedAt: r.CreatedAt.UTC().Format(time.RFC3339), Version: r.Version,
		FailToPass: f2p, PassToPass: p2p, EnvironmentSetupCommit: r.EnvironmentSetupCommit,
		Image: r.Image, ImageName: r.ImageName, EvalScript: r.EvalScript, LogParser: r.LogParser, EvalType: r.EvalType,
	}, nil
}

// jsonList writes a list as JSON without the escapes that only web pages need.
func jsonList(ids []string) (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(append([]string{}, ids...)); err != nil {
		return "", fmt.Errorf("writing a list of tests: %w", err)
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}

// write makes the file. Size estimates what a row takes uncompressed.
func write[T any](rows []T, size func(T) int) ([]byte, error) {
	features, err := hub(reflect.TypeFor[T]())
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	options := []parquet.WriterOption{
		parquet.Compression(&zstd.Codec{Level: zstd.SpeedDefault, Concurrency: 1}),
		parquet.CreatedBy("crossswe", "1", "0"),
		parquet.KeyValueMetadata("huggingface", features),
		parquet.DataPageStatistics(false), // the page index has the bounds
	}
	for _, path := range blobs {
		options = append(options, parquet.SkipPageBounds(path...))
	}
	w := parquet.NewGenericWriter[T](&out, options...)
	inGroup, bytesInGroup := 0, 0
	for _, r := range rows {
		if n := size(r); inGroup > 0 && (inGroup == maxGroupRows || bytesInGroup+n > maxGroupBytes) {
			if err := w.Flush(); err != nil {
				return nil, fmt.Errorf("writing a row group: %w", err)
			}
			inGroup, bytesInGroup = 0, 0
		}
		inGroup, bytesInGroup = inGroup+1, bytesInGroup+size(r)
		if _, err := w.Write([]T{r}); err != nil {
			return nil, fmt.Errorf("writing a row: %w", err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("writing the last row group: %w", err)
	}
	return out.Bytes(), nil
}
