package schemas

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"time"
)

// TestbedDir is the directory in every image that holds the checkouts. It is
// itself no git repository.
const TestbedDir = "/testbed"

// Spec is the editable recipe of one environment: environment.yaml. build
// infers it, a person may change it, and the Dockerfile follows from it alone.
// Commands are argument lists, run without a shell.
type Spec struct {
	Candidate CandidateID `json:"candidate" yaml:"candidate"`
	// Base is the official image that the Dockerfile starts from.
	Base ImageRef `json:"base" yaml:"base"`
	// Toolchains lists what is on PATH, with exact versions. One with an Image
	// is copied from that image; one without comes with Base.
	Toolchains []Toolchain `json:"toolchains" yaml:"toolchains"`
	// Packages are Debian packages.
	Packages []string `json:"packages" yaml:"packages"`
	// History says how much of the past each checkout keeps.
	History History `json:"history" yaml:"history"`
	// Env is set in the image, NAME=value each.
	Env []string `json:"env" yaml:"env"`
	// Files are written into the image outside the checkouts, after them.
	Files []SpecFile `json:"files" yaml:"files"`
	// Repos stand in the order of the candidate's sides.
	Repos []RepoSpec `json:"repos" yaml:"repos"`
	Links []LinkSpec `json:"links" yaml:"links"`
	// Guesses says, for a person who edits the spec, where each inferred value
	// came from.
	Guesses []Guess `json:"guesses" yaml:"guesses"`
}

// ProvidersFirst orders the repositories, by their places in Repos, so that none
// stands before one that it uses: the order in which they are built. Where
// repositories use one another in a circle the spec's order decides.
func (s Spec) ProvidersFirst() []int {
	var order []int
	seen := map[int]bool{}
	var visit func(int)
	visit = func(i int) {
		if seen[i] {
			return
		}
		seen[i] = true
		for _, l := range s.Links {
			for j, p := range s.Repos {
				if l.Consumer.Same(s.Repos[i].Repo) && l.Provider.Same(p.Repo) {
					visit(j)
				}
			}
		}
		order = append(order, i)
	}
	for i := range s.Repos {
		visit(i)
	}
	return order
}

// History says how much of a repository's past an image holds.
type History string

// The amounts of history.
const (
	HistoryNone History = "none" // the base commit alone, as a shallow checkout
	HistoryPast History = "past" // everything reachable from the base commit
)

// Toolchain is one language's tools at one version.
type Toolchain struct {
	Name    string   `json:"name" yaml:"name"`       // go, node, …
	Version string   `json:"version" yaml:"version"` // exact: 1.25.5
	Image   ImageRef `json:"image,omitempty" yaml:"image,omitempty"`
}

// SpecFile is a file of the image that no repository holds.
type SpecFile struct {
	Path    string `json:"path" yaml:"path"` // absolute
	Content string `json:"content" yaml:"content"`
}

// RepoSpec is one repository's part of a Spec.
type RepoSpec struct {
	Repo RepoName  `json:"repo" yaml:"repo"`
	Dir  string    `json:"dir" yaml:"dir"` // the directory under TestbedDir, one segment
	Base CommitSHA `json:"base" yaml:"base"`
	// Setup runs at image build only, with the network on: dependencies. It
	// works on a copy of the checkout whose manifests name the dependencies of
	// base and head; every node_modules and the Go module cache are taken from
	// there, and nothing else.
	Setup []Command `json:"setup" yaml:"setup"`
	// Rebuild runs at image build and in every mask, with the network off.
	Rebuild []Command `json:"rebuild" yaml:"rebuild"`
	// Targets are the test commands, each one process.
	Targets []Target `json:"targets" yaml:"targets"`
}

// Command is one program call.
type Command struct {
	// Dir is relative to the repository's directory; "" is the directory itself.
	Dir string   `json:"dir,omitempty" yaml:"dir,omitempty"`
	Run []string `json:"run" yaml:"run"`
	Env []string `json:"env,omitempty" yaml:"env,omitempty"`
	// Timeout in seconds, 0 for the stage's default.
	Timeout int `json:"timeout,omitempty" yaml:"timeout,omitempty"`
}

// Target is one run of a test runner and the report that it writes.
type Target struct {
	// Name is unique within the repository: a package path, a file, a project.
	Name string `json:"name" yaml:"name"`
	// Runner names the parser of the report.
	Runner  Runner  `json:"runner" yaml:"runner"`
	Command Command `json:"command" yaml:"command"`
	// Report is the file that the runner writes, absolute, outside TestbedDir;
	// "" means standard output.
	Report string `json:"report,omitempty" yaml:"report,omitempty"`
	// Files are the test files of the change that this target runs, relative
	// to the repository.
	Files []string `json:"files" yaml:"files"`
}

// Runner names a test runner's report format.
type Runner string

// The runners whose reports are read.
const (
	RunnerGo       Runner = "gotest"   // go test -json
	RunnerJUnit    Runner = "junit"    // JUnit XML
	RunnerMocha    Runner = "mocha"    // mocha --reporter json
	RunnerJest     Runner = "jest"     // jest --json
	RunnerNodeTest Runner = "nodetest" // node --test, JUnit or TAP by our choice of reporter
	RunnerPytest   Runner = "pytest"   // JSON lines of our own pytest plugin
	RunnerCargo    Runner = "cargo"    // cargo test --message-format json, with the JSON of libtest
	RunnerSurefire Runner = "surefire" // the XML files of Surefire or Failsafe, joined into one
	RunnerCTest    Runner = "ctest"    // what ctest lists, what was compiled, and ctest --output-junit, one after the other
)

// LinkSpec says how a consumer comes to use its sibling's checkout in place of
// a released package, and how that is proved.
type LinkSpec struct {
	Ecosystem string   `json:"ecosystem" yaml:"ecosystem"` // go, npm, python, …
	Consumer  RepoName `json:"consumer" yaml:"consumer"`
	Provider  RepoName `json:"provider" yaml:"provider"`
	// Name is the package as the consumer's manifest names it.
	Name string `json:"name" yaml:"name"`
	// ConsumerDir and ProviderDir are relative to the repositories' directories.
	ConsumerDir string `json:"consumer_dir,omitempty" yaml:"consumer_dir,omitempty"`
	ProviderDir string `json:"provider_dir,omitempty" yaml:"provider_dir,omitempty"`
	// Versions are the released versions that any base or head names: what the
	// link overrides, and what must stand in no cache.
	Versions []string `json:"versions" yaml:"versions"`
	// Make runs at the end of the image build, after every installation. Its
	// Dir is relative to the consumer.
	Make []Command `json:"make" yaml:"make"`
	// Prove runs in every mask before the tests; its standard output, with
	// blanks trimmed, must equal Want. Its Dir is relative to the consumer.
	Prove Command `json:"prove" yaml:"prove"`
	Want  string  `json:"want" yaml:"want"`
}

// Guess explains one inferred value.
type Guess struct {
	Field string `json:"field" yaml:"field"` // toolchains[go].version
	From  string `json:"from" yaml:"from"`   // pion/webrtc go.mod: go 1.21
}

// Environment is the built image of one candidate. build writes it.
type Environment struct {
	Candidate CandidateID `json:"candidate"`
	Spec      Spec        `json:"spec"`
	// SpecDigest is the hash of the spec, which is also the image's tag.
	SpecDigest Digest `json:"spec_digest"`
	// Edited says that a person changed the inferred spec.
	Edited     bool     `json:"edited"`
	Dockerfile Digest   `json:"dockerfile"` // artefact
	Image      ImageRef `json:"image"`
	// ImageID is the digest of the image's configuration: by it an image is
	// known again on another machine.
	ImageID Digest `json:"image_id"`
	// Pushed is the image in a registry, by the digest of its manifest
	// (repository@sha256:…). Empty: it is on the engine of one machine only.
	Pushed ImageRef `json:"pushed,omitempty"`
	// Input is the hash of everything that the image was built from. Empty in
	// records of before there were registries.
	Input     string      `json:"input,omitempty"`
	SizeBytes int64       `json:"size_bytes"`
	Bases     []BaseUsed  `json:"bases"`
	Links     []LinkProof `json:"links"`
	Audit     Audit       `json:"audit"`
	BuildLog  Digest      `json:"build_log"` // artefact
	Host      HostFacts   `json:"host"`
	BuiltAt   time.Time   `json:"built_at"`
}

// BaseUsed is a base image as it was found: the name and what it stood for.
type BaseUsed struct {
	Image ImageRef `json:"image"`
	// ID is the image's configuration digest; Repo digest when it was pulled.
	ID         Digest   `json:"id"`
	RepoDigest ImageRef `json:"repo_digest,omitempty"`
	// StandIn says that it was made on this machine under the official name.
	StandIn bool `json:"stand_in,omitempty"`
}

// LinkProof is the outcome of one LinkSpec's proof.
type LinkProof struct {
	Consumer RepoName `json:"consumer"`
	Provider RepoName `json:"provider"`
	Name     string   `json:"name"`
	Got      string   `json:"got"`
	Holds    bool     `json:"holds"`
}

// Audit is the proof that an image is clean and leaks nothing.
type Audit struct {
	Clean    bool           `json:"clean"`
	Checks   []AuditCheck   `json:"checks"`
	Findings []AuditFinding `json:"findings"`
}

// AuditCheck is one question that the audit asked, with what it looked at.
type AuditCheck struct {
	Name    string `json:"name"`
	Looked  int    `json:"looked"` // objects, files, hunks, …
	Subject string `json:"subject"`
}

// AuditFinding is one thing that must not be in the image.
type AuditFinding struct {
	Check  string `json:"check"`
	Layer  string `json:"layer,omitempty"`
	Path   string `json:"path,omitempty"`
	Detail string `json:"detail"`
}

// HostFacts is where something ran.
type HostFacts struct {
	Arch   string `json:"arch"`
	CPU    string `json:"cpu"`
	CPUs   int    `json:"cpus"`
	Kernel string `json:"kernel"`
	Engine string `json:"engine"`
}

// BuildReason says why build gave a candidate up.
type BuildReason string

// The reasons of build.
const (
	BuildUnsupported    BuildReason = "unsupported_ecosystem"
	BuildNoToolchain    BuildReason = "toolchain_unavailable"
	BuildNoBaseImage    BuildReason = "base_image_unavailable"
	BuildNoTarget       BuildReason = "no_test_target"
	BuildMissingObject  BuildReason = "missing_object"
	BuildShallow        BuildReason = "shallow_repository"
	BuildNoRepository   BuildReason = "repository_not_at_hand"
	BuildBadSpec        BuildReason = "bad_spec"
	BuildDependency     BuildReason = "dependency_resolution"
	BuildStep           BuildReason = "build_step_failed"
	BuildLinkVoid       BuildReason = "link_void"
	BuildAuditFailed    BuildReason = "audit_failed"
	BuildPatchUnproved  BuildReason = "patch_unproved" // gold and test do not give the head's tree
	BuildTimeout        BuildReason = "timeout"
	BuildNotEnoughSpace BuildReason = "disk_full"
	// Faults between an engine and the registry of built images.
	BuildRegistryUnreachable BuildReason = "registry_unreachable"
	BuildRegistryDenied      BuildReason = "registry_denied"
	BuildImageMismatch       BuildReason = "image_mismatch" // the registry gave another image than the one that was built
)

// RecordKind implements Record.
func (Environment) RecordKind() Kind { return KindEnvironment }

// RecordKey implements Record.
func (e Environment) RecordKey() string { return string(e.Candidate) }

// Validate implements Record.
func (e Environment) Validate() error {
	if e.Candidate == "" || e.Image == "" || e.ImageID == "" {
		return errors.New("candidate, image and image id are required")
	}
	if e.Pushed != "" && !e.Pushed.ByDigest() {
		return fmt.Errorf("pushed: %q is not of the form repository@sha256:…", e.Pushed)
	}
	return e.Spec.Validate()
}

// Validate reports the first thing wrong with the spec.
func (s Spec) Validate() error {
	if s.Base == "" {
		return errors.New("base: an image is required")
	}
	if s.History != HistoryNone && s.History != HistoryPast {
		return fmt.Errorf("history: %q is neither none nor past", s.History)
	}
	if len(s.Repos) < 2 {
		return errors.New("repos: two or more are required")
	}
	dirs, repos := map[string]bool{}, map[string]bool{}
	for _, r := range s.Repos {
		if err := r.validate(); err != nil {
			return fmt.Errorf("repos[%s]: %w", r.Repo, err)
		}
		if dirs[strings.ToLower(r.Dir)] {
			return fmt.Errorf("repos[%s]: dir %q is used twice", r.Repo, r.Dir)
		}
		dirs[strings.ToLower(r.Dir)], repos[r.Repo.Key()] = true, true
	}
	for _, l := range s.Links {
		switch {
		case !repos[l.Consumer.Key()] || !repos[l.Provider.Key()]:
			return fmt.Errorf("links[%s]: consumer and provider must be among repos", l.Name)
		case len(l.Prove.Run) == 0 || l.Want == "":
			return fmt.Errorf("links[%s]: a link without a proof is none", l.Name)
		}
	}
	for _, f := range s.Files {
		if !path.IsAbs(f.Path) || path.Clean(f.Path) != f.Path {
			return fmt.Errorf("files: %q is no clean absolute path", f.Path)
		}
	}
	return nil
}

func (r RepoSpec) validate() error {
	if r.Repo == "" || r.Base == "" {
		return errors.New("repo and base are required")
	}
	if r.Dir == "" || r.Dir == "." || r.Dir == ".." || strings.HasPrefix(r.Dir, ".") || strings.ContainsAny(r.Dir, "/\\ ") {
		return fmt.Errorf("dir %q: want one plain path segment", r.Dir)
	}
	names := map[string]bool{}
	for _, t := range r.Targets {
		if t.Name == "" || names[t.Name] {
			return fmt.Errorf("targets: name %q is empty or used twice", t.Name)
		}
		names[t.Name] = true
		if len(t.Command.Run) == 0 {
			return fmt.Errorf("targets[%s]: a command is required", t.Name)
		}
		if t.Report != "" && (!path.IsAbs(t.Report) || strings.HasPrefix(t.Report, TestbedDir+"/")) {
			return fmt.Errorf("targets[%s]: report %q must be absolute and outside %s", t.Name, t.Report, TestbedDir)
		}
	}
	return nil
}
