// Package config reads pipeline.yaml: one section per stage, defaults filled
// in here and nowhere else, every fault reported at once with its line. It
// reads no environment and no secrets; only the mains use it.
package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"time"

	"go.yaml.in/yaml/v3"

	"crossswe/internal/artefact/place"
	"crossswe/schemas"
)

// Config is the whole pipeline.yaml. Paths in it are relative to its directory
// and are made absolute by Read.
type Config struct {
	Store        Store        `yaml:"store"`
	Repositories Repositories `yaml:"repositories"`
	Mine         Mine         `yaml:"mine"`
	Screen       Screen       `yaml:"screen"`
	Build        Build        `yaml:"build"`
	Verify       Verify       `yaml:"verify"`
	Publish      Publish      `yaml:"publish"`
	Machine      Machine      `yaml:"machine"`
	Schedule     Schedule     `yaml:"schedule"`
}

// Machine is what the processes of one machine may take of it together.
type Machine struct {
	// Containers run at once; 0: as many as one job needs, one job at a time.
	Containers int   `yaml:"containers"`
	MemoryMB   int64 `yaml:"memory_mb"` // of the containers; 0: no limit
	// Grace is how long a served stage that is stopped waits for what runs
	// before it hands it back.
	Grace Duration `yaml:"grace"`
}

// Schedule says when served stages begin by themselves; empty: never. See
// package schedule for the form.
type Schedule struct {
	Mine    string `yaml:"mine"`
	Publish string `yaml:"publish"`
}

// Store says where records and artefacts are kept.
type Store struct {
	// Path is the SQLite file, for one machine.
	Path string `yaml:"path"`
	// URL is the PostgreSQL database, for several; it wins over Path. It holds
	// no password.
	URL       string `yaml:"url"`
	Artefacts string `yaml:"artefacts"` // directory or URL: see place.Parse
}

// Place is where the store is: the URL if there is one, else the file.
func (s Store) Place() string { return cmp.Or(s.URL, s.Path) }

// Repositories says which repositories are at hand.
type Repositories struct {
	// Mirrors is a directory of clones, mirrors or bare repositories, laid out
	// as owner/name or owner/name.git.
	Mirrors string `yaml:"mirrors"`
	// List names further ones. When it is given, only what it lists is used.
	List []Repository `yaml:"list"`
}

// Repository is one repository at hand.
type Repository struct {
	Name schemas.RepoName `yaml:"name"`
	// Path is the directory; empty means under Mirrors.
	Path string `yaml:"path"`
	// Aliases are former names: owner/name.
	Aliases []schemas.RepoName `yaml:"aliases"`
}

// Mine is the section of the mine stage.
type Mine struct {
	// From and To bound the merge dates, both included; without To the present
	// does.
	From Date `yaml:"from"`
	To   Date `yaml:"to"`
	// PairWithin is the longest time between the merges of two sides.
	PairWithin Duration `yaml:"pair_within"`
	// MaxSides bounds the repositories of a candidate.
	MaxSides int `yaml:"max_sides"`
	// MinScore drops weaker candidates.
	MinScore float64 `yaml:"min_score"`
	// Hosts are GitHub Enterprise hosts to read references of.
	Hosts []string `yaml:"hosts"`
}

// Screen is the section of the screen stage.
type Screen struct {
	// Reviewers is how many people judge a candidate before it is decided.
	Reviewers int `yaml:"reviewers"`
	// Adjudicators are the people who may settle a disagreement.
	Adjudicators []string `yaml:"adjudicators"`
	// SignIn is how people sign in to the web server.
	SignIn SignIn `yaml:"sign_in"`
	// Header is the request header in which the proxies name the person, with
	// SignInHeader.
	Header string `yaml:"header"`
	// Proxies are the addresses from which that header is believed.
	Proxies []Network `yaml:"proxies"`
}

// SignIn is a way to sign in to the web server of screen.
type SignIn string

// The ways to sign in.
const (
	SignInLink   SignIn = "link"   // by a link that is printed at the start, for the person at this machine
	SignInHeader SignIn = "header" // by a proxy in front, which names the person in a header
)

// Build is the section of the build stage.
type Build struct {
	// Specs is a directory of edited specs: <candidate id>.yaml wins over inference.
	Specs   string          `yaml:"specs"`
	History schemas.History `yaml:"history"`
	// The images are patterns of official images; %s is the version that the
	// image's tag takes.
	GoImage     string `yaml:"go_image"`
	NodeImage   string `yaml:"node_image"`
	PythonImage string `yaml:"python_image"`
	// RustImage may lack %s: then its compiler builds every Rust environment.
	RustImage string `yaml:"rust_image"`
	// JavaImage may lack %s too: then its JDK serves all.
	JavaImage string `yaml:"java_image"`
	// CMakeImage is a Debian bookworm, whose packages hold the compilers.
	CMakeImage string   `yaml:"cmake_image"`
	Timeout    Duration `yaml:"timeout"` // of one image build
	// Environment names variables of the calling process that build steps may
	// see (package proxies, certificates); they are not in the image afterwards.
	Environment []string `yaml:"environment"`
	MinFreeGB   int      `yaml:"min_free_gb"`
	// Registry is the repository of a container registry, with its host and
	// without a tag, to which images are pushed; empty: they stay here.
	Registry string `yaml:"registry"`
}

// Verify is the section of the verify stage.
type Verify struct {
	Repetitions int      `yaml:"repetitions"`
	Workers     int      `yaml:"workers"` // containers at once
	CPUs        float64  `yaml:"cpus"`    // per container
	MemoryMB    int64    `yaml:"memory_mb"`
	Pids        int64    `yaml:"pids"`
	TestTimeout Duration `yaml:"test_timeout"` // of one target
	Exhaustive  bool     `yaml:"exhaustive"`   // run cells that could be inferred
}

// Publish is the section of the publish stage.
type Publish struct {
	Directory string `yaml:"directory"`
	Name      string `yaml:"name"` // of the dataset: owner/name on the Hub
	// Approved publishes only instances whose statement a person approved.
	Approved bool     `yaml:"approved"`
	Licenses []string `yaml:"licenses"` // SPDX ids that may be published; empty: all
	Canary   string   `yaml:"canary"`
}

// Duration is a time.Duration written like 90s, 20m or 48h.
type Duration time.Duration

// UnmarshalYAML reads the written form.
func (d *Duration) UnmarshalYAML(n *yaml.Node) error {
	v, err := time.ParseDuration(n.Value)
	if err != nil || v < 0 {
		return &yaml.TypeError{Errors: []string{fmt.Sprintf("line %d: %q is no duration (write 90s, 20m, 48h)", n.Line, n.Value)}}
	}
	*d = Duration(v)
	return nil
}

// Date is a day in UTC, written 2025-01-31. Where it may be left out it is zero.
type Date struct{ time.Time }

// End is the last second of the day, and now when there is none.
func (d Date) End(now time.Time) time.Time {
	if d.IsZero() {
		return now.UTC()
	}
	return d.AddDate(0, 0, 1).Add(-time.Second)
}

// UnmarshalYAML reads the written form.
func (d *Date) UnmarshalYAML(n *yaml.Node) error {
	if n.Value == "" {
		d.Time = time.Time{}
		return nil
	}
	t, err := time.Parse(time.DateOnly, n.Value)
	if err != nil {
		return &yaml.TypeError{Errors: []string{fmt.Sprintf("line %d: %q is no date (write 2025-01-31)", n.Line, n.Value)}}
	}
	d.Time = t
	return nil
}

// Network is an address or a range of addresses: 10.1.2.3, 10.1.0.0/16.
type Network struct{ netip.Prefix }

// UnmarshalYAML reads the written form.
func (w *Network) UnmarshalYAML(n *yaml.Node) error {
	if a, err := netip.ParseAddr(n.Value); err == nil && a.Zone() == "" {
		a = a.Unmap()
		w.Prefix = netip.PrefixFrom(a, a.BitLen())
		return nil
	}
	p, err := netip.ParsePrefix(n.Value)
	if err != nil || p.Addr().Is4In6() {
		return &yaml.TypeError{Errors: []string{fmt.Sprintf("line %d: %q is neither an address nor a range (write 10.1.2.3 or 10.1.0.0/16)", n.Line, n.Value)}}
	}
	w.Prefix = p.Masked()
	return nil
}

// Read reads and checks the file. The error holds every fault, one per line.
func Read(file string) (*Config, error) {
	body, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading the configuration: %w", err)
	}
	c, err := Parse(body)
	if err != nil {
		return nil, fmt.Errorf("%s:\n%w", file, err)
	}
	dir, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		return nil, fmt.Errorf("finding the directory of %s: %w", file, err)
	}
	c.resolve(dir)
	return c, nil
}

// Parse reads and checks the text of a pipeline.yaml.
func Parse(body []byte) (*Config, error) {
	dec := yaml.NewDecoder(bytes.NewReader(body))
	dec.KnownFields(true)
	c := defaults()
	err := dec.Decode(c)
	var written *yaml.TypeError
	switch {
	case errors.Is(err, io.EOF):
		return nil, errors.New("the file is empty")
	case err != nil && !errors.As(err, &written):
		return nil, err
	}
	var root yaml.Node
	if err := yaml.Unmarshal(body, &root); err != nil {
		return nil, err
	}
	k := &checker{root: &root}
	k.written(written)
	k.whole(reflect.TypeFor[Config](), "")
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		k.faults = append(k.faults, fault{text: "the file holds a second document: only one is allowed"})
	}
	c.check(k)
	if err := k.err(); err != nil {
		return nil, err
	}
	return c, nil
}

// defaults is the only place where a default stands.
func defaults() *Config {
	return &Config{
		Store: Store{Path: "crossswe.db", Artefacts: "artefacts"},
		Mine: Mine{
			From:       Date{time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)},
			PairWithin: Duration(90 * 24 * time.Hour),
			MaxSides:   schemas.MaxSides,
			MinScore:   1,
		},
		Screen: Screen{Reviewers: 2, SignIn: SignInLink, Header: "X-Forwarded-User"},
		Build: Build{
			Specs:       "specs",
			History:     schemas.HistoryPast,
			GoImage:     "golang:1.26-bookworm",
			NodeImage:   "node:%s-bookworm-slim",
			PythonImage: "python:%s-bookworm",
			RustImage:   "rust:%s-bookworm",
			JavaImage:   "maven:3-eclipse-temurin-%s",
			CMakeImage:  "debian:bookworm-slim",
			Timeout:     Duration(40 * time.Minute),
			MinFreeGB:   10,
		},
		Verify: Verify{
			Repetitions: 3, Workers: 1, CPUs: 2, MemoryMB: 6144, Pids: 2048,
			TestTimeout: Duration(10 * time.Minute),
		},
		Machine: Machine{Grace: Duration(time.Minute)},
		Publish: Publish{Directory: "dataset", Name: "crossswe/crossswe", Approved: true},
	}
}

// resolve makes the paths absolute; URLs are left as they are.
func (c *Config) resolve(dir string) {
	if !place.IsURL(c.Store.Artefacts) {
		c.Store.Artefacts = absolute(dir, c.Store.Artefacts)
	}
	for _, p := range []*string{&c.Store.Path, &c.Repositories.Mirrors, &c.Build.Specs, &c.Publish.Directory} {
		*p = absolute(dir, *p)
	}
	for i := range c.Repositories.List {
		c.Repositories.List[i].Path = absolute(dir, c.Repositories.List[i].Path)
	}
}

func absolute(dir, p string) string {
	if p == "" || filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(dir, p)
}
