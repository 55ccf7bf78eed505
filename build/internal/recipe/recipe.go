// Package recipe turns an environment spec into the text of a Dockerfile. It
// is pure: the same spec, bases and options give the same text.
//
// What needs a network happens in stages of its own, and only caches and
// installed dependencies are copied out of them. So neither the values of
// passed-on variables, nor head's manifests, nor a package manager's own
// leavings are in any layer of the image. The text is valid for the classic
// builder and for BuildKit.
package recipe

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"crossswe/schemas"
)

// Version counts changes of this package that make a different image from the
// same spec: an item that an older one built is built again.
const Version = 2

// The directories of the build context.
const (
	ReposDir = "repos" // <dir>.tar: a checkout
	FilesDir = "files" // the spec's files, below their absolute paths
	DepsDir  = "deps"  // what the fetch stages see: <ecosystem>/…
	ToolsDir = "tools" // programs for the image: <name>
)

// The program that turns a runner's report into the lines that evaluation
// scripts print. It stands outside the checkouts, in the last layer, so that a
// new one changes nothing else.
const (
	ReportProgram    = "evalreport"
	ReportProgramDir = "/opt/crossswe"
)

// Options are the surroundings of a recipe.
type Options struct {
	// Pins are the names by which FROM and COPY --from take an image: pinned
	// by digest, or by id. An image without one keeps its name.
	Pins map[schemas.ImageRef]string
	// Args are the names of build arguments that steps with a network see.
	Args []string
}

// Plan is a Dockerfile and what a failure of each of its steps means.
type Plan struct {
	Dockerfile []byte
	// Steps are the instructions in order; a builder counts them from 1.
	Steps []Step
	// Fetches are the ecosystems whose part of DepsDir the context must hold.
	Fetches []string
}

// Step is one instruction.
type Step struct {
	Text string
	// Reason is why the candidate is given up when the step fails.
	Reason schemas.BuildReason
}

// Reason returns why the candidate is given up when step n (from 1) fails.
func (p Plan) Reason(n int) schemas.BuildReason {
	if n < 1 || n > len(p.Steps) {
		return schemas.BuildStep
	}
	return p.Steps[n-1].Reason
}

// New returns the recipe of a valid spec. The error says what in the spec
// cannot be written as a Dockerfile.
func New(spec schemas.Spec, opt Options) (Plan, error) {
	b := &builder{spec: spec, opt: opt}
	b.toolchains()
	b.base()
	b.fetchStages()
	b.image()
	if b.err != nil {
		return Plan{}, fmt.Errorf("writing the Dockerfile: %w", b.err)
	}
	p := Plan{Dockerfile: []byte(b.text.String()), Steps: b.steps}
	for _, f := range b.fetches {
		p.Fetches = append(p.Fetches, f.name)
	}
	return p, nil
}

// builder writes the text.
type builder struct {
	spec    schemas.Spec
	opt     Options
	text    strings.Builder
	steps   []Step
	fetches []fetch
	err     error
}

// fetch is a stage that needs the network, and what is taken out of it.
type fetch struct {
	name  string
	stage string
	copy  [][2]string // from, to
}

func (b *builder) fault(err error) { b.err = errors.Join(b.err, err) }

func (b *builder) comment(s string) { fmt.Fprintf(&b.text, "\n# %s\n", s) }

// step writes one instruction.
func (b *builder) step(reason schemas.BuildReason, text string) {
	if strings.ContainsAny(text, "\n\r") {
		b.fault(fmt.Errorf("a line break in %q", text))
	}
	b.text.WriteString(text + "\n")
	b.steps = append(b.steps, Step{text, reason})
}

// exec writes an instruction in its JSON form.
func (b *builder) exec(reason schemas.BuildReason, instruction string, args ...string) {
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(args); err != nil {
		b.fault(err)
	}
	b.step(reason, instruction+" "+strings.TrimSpace(body.String()))
}

// run writes a command of the spec: an argument list, without a shell.
func (b *builder) run(reason schemas.BuildReason, dir string, c schemas.Command, before ...string) {
	args := append(slices.Clone(before), "env", "-C", path.Join(dir, c.Dir))
	args = append(args, c.Env...)
	b.exec(reason, "RUN", append(args, c.Run...)...)
}

// tolerated lets a command fail: what it warms is then cold, and verify says why.
func tolerated() []string {
	return []string{"sh", "-c", `"$@" || echo "the command failed with $?: its outcome is left to verify"`, "sh"}
}

func (b *builder) from(image, stage string) {
	if stage != "" {
		stage = " AS " + stage
	}
	b.step(schemas.BuildNoBaseImage, "FROM "+image+stage)
}

func (b *builder) pin(image schemas.ImageRef) string {
	if p, ok := b.opt.Pins[image]; ok {
		return p
	}
	return string(image)
}

// args declares the passed-on variables, only in stages out of which nothing
// but named directories is copied: the classic builder writes their values
// into the history of the stage's image.
func (b *builder) args() {
	for _, name := range b.opt.Args {
		b.step(schemas.BuildBadSpec, "ARG "+name)
	}
}

// env sets a variable. Its value is quoted so that nothing in it is expanded.
func (b *builder) env(assignment string) {
	name, value, ok := strings.Cut(assignment, "=")
	if !ok || !variable(name) {
		b.fault(fmt.Errorf("env %q is not of the form NAME=value", assignment))
		return
	}
	b.step(schemas.BuildBadSpec, "ENV "+name+"="+quote(value))
}

func variable(s string) bool {
	for i, r := range s {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}

// quote writes a value in double quotes for the Dockerfile's own parser.
func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`).Replace(s) + `"`
}
