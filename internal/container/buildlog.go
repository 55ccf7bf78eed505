package container

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Bounds of what a BuildError carries.
const (
	tailLines = 40
	tailWidth = 2000 // bytes of one line
)

// buildLog follows the stream of JSON messages that the classic builder sends:
// https://docs.docker.com/reference/api/engine/version/v1.41/#tag/Image/operation/ImageBuild
type buildLog struct {
	out         *cappedWriter
	line        []byte   // of the output, not yet ended
	tail        []string // last lines
	step, steps int
	instruction string
	imageID     string
}

func newBuildLog(w io.Writer, limit int64) *buildLog {
	return &buildLog{out: newBudget(limit).writer(w)}
}

// engineMessage is one message of a build, a push or a pull. Error repeats ErrorDetail.Message and is alone
// in messages of old engines.
type engineMessage struct {
	Stream      string `json:"stream"`
	Error       string `json:"error"`
	ErrorDetail *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"errorDetail"`
	Aux json.RawMessage `json:"aux"`
}

// failure returns the error that the message tells of, "" for none.
func (m engineMessage) failure() (message string, code int) {
	if m.ErrorDetail != nil {
		return m.ErrorDetail.Message, m.ErrorDetail.Code
	}
	return m.Error, 0
}

// read follows the stream to its end. The error is a *BuildError when a message
// says that the build failed, and another when the stream broke off.
func (l *buildLog) read(r io.Reader) error {
	var failed *BuildError
	for d := json.NewDecoder(r); ; {
		var m engineMessage
		err := d.Decode(&m)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("reading the build's messages: %w", err)
		}
		if f := l.take(m); f != nil && failed == nil {
			failed = f
		}
	}
	switch {
	case failed != nil:
		failed.Tail = l.lastLines()
		return failed
	case l.imageID == "":
		return errors.New("the build's messages ended without an image")
	case l.out.err != nil:
		return fmt.Errorf("writing the build log: %w", l.out.err)
	}
	return nil
}

// take handles one message and returns the failure that it tells of.
func (l *buildLog) take(m engineMessage) *BuildError {
	l.write(m.Stream)
	if len(m.Aux) > 0 {
		var aux struct{ ID string }
		if json.Unmarshal(m.Aux, &aux) == nil && aux.ID != "" {
			l.imageID = aux.ID
		}
	}
	message, code := m.failure()
	if message == "" {
		return nil
	}
	return l.classify(message, code)
}

// The builder's own words for a RUN step that failed.
var commandFailed = regexp.MustCompile(`(?s)^The command '(.*)' returned a non-zero code: (\d+)$`)

func (l *buildLog) classify(message string, code int) *BuildError {
	if m := commandFailed.FindStringSubmatch(message); m != nil {
		b := l.failure(FailureCommand, message)
		b.Command, b.ExitCode = m[1], code
		if n, err := strconv.Atoi(m[2]); err == nil {
			b.ExitCode = n
		}
		return b
	}
	if strings.HasPrefix(strings.ToUpper(l.instruction), "FROM ") || strings.HasPrefix(message, "invalid from flag value") {
		return l.failure(FailureBase, message)
	}
	return l.failure(FailureOther, message)
}

// failure is a failure at the step that the log has reached.
func (l *buildLog) failure(kind BuildFailure, message string) *BuildError {
	return &BuildError{
		Failure:     kind,
		Step:        l.step,
		Steps:       l.steps,
		Instruction: l.instruction,
		Message:     message,
		Tail:        l.lastLines(),
	}
}

// The builder shows what a step writes to its standard error in red, one
// message at a time.
const (
	redOn  = "\x1b[91m"
	redOff = "\x1b[0m"
)

// write passes text on and takes it apart into lines.
func (l *buildLog) write(text string) {
	if inner, ok := strings.CutPrefix(text, redOn); ok {
		text = strings.TrimSuffix(inner, redOff)
	}
	_, _ = l.out.Write([]byte(text)) // its error stays in out
	for {
		line, rest, ended := strings.Cut(text, "\n")
		if room := tailWidth - len(l.line); room > 0 {
			l.line = append(l.line, line[:min(room, len(line))]...)
		}
		if !ended {
			return
		}
		l.endLine()
		text = rest
	}
}

var stepLine = regexp.MustCompile(`^Step (\d+)/(\d+) : (.*)$`)

func (l *buildLog) endLine() {
	line := strings.ToValidUTF8(strings.TrimRight(string(l.line), "\r"), "\uFFFD")
	l.line = l.line[:0]
	if m := stepLine.FindStringSubmatch(line); m != nil {
		step, err1 := strconv.Atoi(m[1])
		steps, err2 := strconv.Atoi(m[2])
		// What a step prints may look like this too, but not with the
		// next number in the right total, unless on purpose.
		if err1 == nil && err2 == nil && step == l.step+1 && (l.steps == 0 || steps == l.steps) {
			l.step, l.steps, l.instruction = step, steps, m[3]
		}
	}
	if len(l.tail) == tailLines {
		l.tail = slices.Delete(l.tail, 0, 1)
	}
	l.tail = append(l.tail, line)
}

// lastLines returns the tail, with the unended line if there is one.
func (l *buildLog) lastLines() []string {
	if len(l.line) > 0 {
		l.endLine()
	}
	return slices.Clone(l.tail)
}
