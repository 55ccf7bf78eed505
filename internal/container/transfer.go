package container

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	cerrdefs "github.com/containerd/errdefs"
	"github.com/moby/moby/client"
)

// follow reads the messages of a push or a pull to their end, calls heard for
// each and returns the digest that a push tells. The engine answers such a call
// with success before it begins, and tells what went wrong in a message:
// https://docs.docker.com/reference/api/engine/version/v1.41/#tag/Image/operation/ImagePush
func follow(r io.Reader, heard func()) (digest string, err error) {
	var failed error
	for d := json.NewDecoder(r); ; {
		var m engineMessage
		err := d.Decode(&m)
		switch {
		case errors.Is(err, io.EOF):
			return digest, failed
		case err != nil:
			return "", errors.Join(failed, fmt.Errorf("%w: %w", errBroken, err))
		}
		heard()
		if message, _ := m.failure(); message != "" && failed == nil {
			failed = errors.New(message)
		}
		if d := pushedDigest(m.Aux); d != "" {
			digest = d
		}
	}
}

// errBroken is about the engine, not about the registry.
var errBroken = errors.New("the engine's messages broke off")

var digestPattern = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

// pushedDigest reads the message at the end of a push: {"Tag", "Digest", "Size"}.
func pushedDigest(aux json.RawMessage) string {
	var pushed struct{ Digest string }
	if len(aux) == 0 || json.Unmarshal(aux, &pushed) != nil || !digestPattern.MatchString(pushed.Digest) {
		return ""
	}
	return pushed.Digest
}

// What engines and registries write. Kinds of fault come through an engine as
// text only: it answers with status 500, or 200 and a message without a code.
var (
	saysDenied = regexp.MustCompile(`(?i)\bunauthorized\b|authentication required|no basic auth credentials|incorrect username or password|\bdenied\b|insufficient_scope|\b40[13] (?:unauthorized|forbidden)\b`)
	saysAbsent = regexp.MustCompile(`(?i)manifest unknown|name unknown|manifest for \S+ not found|repository \S+ not found|no such image|repository does not exist`)
	saysAway   = regexp.MustCompile(`(?i)connection (?:refused|reset|timed out)|no such host|i/o timeout|no route to host|network is unreachable|broken pipe|\bEOF\b|\btls: |\bx509: |HTTP response to HTTPS client|Client\.Timeout|request canceled|deadline exceeded|TLS handshake timeout|server misbehaving|temporary failure in name resolution|too many requests|HTTP status: 5\d\d|\b50[0234] (?:internal|bad|service|gateway)|HTTP 5\d\d response`)
)

// transferFault turns what the engine says of a push or a pull into an error
// with the sentinels that callers branch on, and without the login.
func transferFault(err, missing error, l login) error {
	message := l.hide(err.Error())
	var kinds []error
	switch {
	case errors.Is(err, errBroken):
	case client.IsErrConnectionFailed(err):
		kinds = append(kinds, ErrNoEngine)
	case isNoSpace(message):
		kinds = append(kinds, ErrNoSpace)
	default:
		if saysDenied.MatchString(message) {
			kinds = append(kinds, ErrRegistryDenied)
		}
		if missing != nil && (cerrdefs.IsNotFound(err) || saysAbsent.MatchString(message)) {
			kinds = append(kinds, missing)
		}
		if len(kinds) == 0 && saysAway.MatchString(message) {
			kinds = append(kinds, ErrRegistryUnreachable)
		}
	}
	return &transferError{kinds: kinds, message: message + advice(message)}
}

// transferError is a push or a pull that failed. It keeps only text of the
// cause, since the cause's own may hold the login.
type transferError struct {
	kinds   []error
	message string
}

// Error implements error.
func (t *transferError) Error() string {
	text := ""
	for _, k := range t.kinds {
		text += k.Error() + ": "
	}
	return text + t.message
}

// Unwrap returns the sentinels.
func (t *transferError) Unwrap() []error { return t.kinds }

// advice says what to do where the engine's words do not.
func advice(message string) string {
	switch {
	case strings.Contains(message, "HTTP response to HTTPS client"):
		return " (engines speak plain HTTP only to registries on loopback and to those in the insecure-registries of their daemon.json)"
	case strings.Contains(message, "x509: "):
		return " (the engine looks for the certificate of a registry's own authority in certs.d, a directory named after the registry)"
	case saysDenied.MatchString(message):
		return " (docker login, as the user that runs this program, stores a login)"
	}
	return ""
}
