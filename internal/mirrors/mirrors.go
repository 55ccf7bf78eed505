// Package mirrors knows which repositories are at hand and where: the
// directory of mirrors and the list of pipeline.yaml. It opens each at most
// once.
package mirrors

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"crossswe/internal/gitrepo"
	"crossswe/schemas"
)

// ErrUnknown says that a repository is not at hand.
var ErrUnknown = errors.New("repository is not at hand")

// Place is one repository at hand.
type Place struct {
	Name schemas.RepoName
	// Dir is the clone, mirror or bare repository; empty means below the
	// directory of mirrors.
	Dir string
	// Aliases are former names.
	Aliases []schemas.RepoName
}

// Set is the repositories at hand, safe for concurrent use. Close it.
type Set struct {
	places []Place
	byKey  map[string]int // a name's or alias's key → index of places

	mu   sync.Mutex
	open map[int]*gitrepo.Repo
}

// Find returns the set: what list names or, when the list is empty, every
// repository owner/name or owner/name.git below dir.
func Find(dir string, list []Place) (*Set, error) {
	s := &Set{byKey: map[string]int{}, open: map[int]*gitrepo.Repo{}}
	if len(list) == 0 {
		found, err := scan(dir)
		if err != nil {
			return nil, err
		}
		list = found
	}
	for _, p := range list {
		if p.Dir == "" {
			p.Dir = below(dir, p.Name)
		}
		if err := s.add(p); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *Set) add(p Place) error {
	i := len(s.places)
	s.places = append(s.places, p)
	for _, name := range append([]schemas.RepoName{p.Name}, p.Aliases...) {
		if j, taken := s.byKey[name.Key()]; taken {
			return fmt.Errorf("%s names both %s and %s", name, s.places[j].Dir, p.Dir)
		}
		s.byKey[name.Key()] = i
	}
	return nil
}

// below returns the directory of a repository under the directory of mirrors.
func below(dir string, name schemas.RepoName) string {
	bare := filepath.Join(dir, filepath.FromSlash(string(name))+".git")
	if _, err := os.Stat(bare); err == nil {
		return bare
	}
	return filepath.Join(dir, filepath.FromSlash(string(name)))
}

// scan lists owner/name and owner/name.git below dir, ordered by name.
func scan(dir string) ([]Place, error) {
	owners, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("listing the mirrors: %w", err)
	}
	var found []Place
	for _, owner := range owners {
		entries, err := os.ReadDir(filepath.Join(dir, owner.Name()))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			continue // a file among the owners' directories
		}
		for _, e := range entries {
			name, err := schemas.ParseRepoName(owner.Name() + "/" + strings.TrimSuffix(e.Name(), ".git"))
			if err != nil || e.Name() == ".git" {
				continue
			}
			found = append(found, Place{Name: name, Dir: filepath.Join(dir, owner.Name(), e.Name())})
		}
	}
	slices.SortFunc(found, func(a, b Place) int { return strings.Compare(a.Name.Key(), b.Name.Key()) })
	return found, nil
}

// Places lists the repositories at hand.
func (s *Set) Places() []Place { return slices.Clone(s.places) }

// Canonical returns the present name of a repository at hand, also when it is
// asked for by a former one; false when it is not at hand.
func (s *Set) Canonical(name schemas.RepoName) (schemas.RepoName, bool) {
	i, ok := s.byKey[name.Key()]
	if !ok {
		return name, false
	}
	return s.places[i].Name, true
}

// Open returns the repository, which the set closes. ErrUnknown is returned
// for one that is not at hand; other errors are gitrepo's.
func (s *Set) Open(ctx context.Context, name schemas.RepoName) (*gitrepo.Repo, error) {
	i, ok := s.byKey[name.Key()]
	if !ok {
		return nil, fmt.Errorf("%s: %w", name, ErrUnknown)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.open[i]; r != nil {
		return r, nil
	}
	r, err := gitrepo.Open(ctx, s.places[i].Dir)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", name, err)
	}
	s.open[i] = r
	return r, nil
}

// Close closes every repository that was opened.
func (s *Set) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for i, r := range s.open {
		errs = append(errs, r.Close())
		delete(s.open, i)
	}
	return errors.Join(errs...)
}
