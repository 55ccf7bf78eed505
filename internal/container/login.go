package container

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/moby/moby/api/pkg/authconfig"
	"github.com/moby/moby/api/types/registry"
)

// login is what the engine is told to show to a registry.
type login struct {
	header  string   // of the engine's API; never empty
	secrets []string // that no text may hold
}

// login looks the registry of ref up in the keychain. The error is
// ErrRegistryDenied when the keychain cannot be read.
func (e *Engine) login(ctx context.Context, ref string) (login, error) {
	named, err := name.ParseReference(ref, name.WeakValidation)
	if err != nil {
		return login{}, fmt.Errorf("reading the name of the image: %w", err)
	}
	repo := named.Context()
	config, err := resolve(ctx, e.keys, repo)
	if ctx.Err() != nil {
		return login{}, ctx.Err()
	}
	if err != nil {
		return login{}, fmt.Errorf("%w: reading the login for %s: %w", ErrRegistryDenied, repo.RegistryStr(), err)
	}
	return newLogin(*config, repo.RegistryStr())
}

// loginTimeout bounds the credential helper that a keychain may call. One that
// asks a person who is not there would wait for ever.
const loginTimeout = time.Minute

// resolve asks the keychain. It does not wait for one that takes too long,
// since a keychain cannot be interrupted.
func resolve(ctx context.Context, keys authn.Keychain, repo authn.Resource) (*authn.AuthConfig, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, loginTimeout, fmt.Errorf("no answer from the credential helper after %s", loginTimeout))
	defer cancel()
	type answer struct {
		config *authn.AuthConfig
		err    error
	}
	answers := make(chan answer, 1)
	go func() {
		auth, err := authn.Resolve(ctx, keys, repo)
		if err != nil {
			answers <- answer{nil, err}
			return
		}
		config, err := authn.Authorization(ctx, auth)
		answers <- answer{config, err}
	}()
	select {
	case a := <-answers:
		return a.config, a.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func newLogin(c authn.AuthConfig, host string) (login, error) {
	if c.Auth != "" && c.Username == "" && c.Password == "" {
		if user, password, ok := splitAuth(c.Auth); ok {
			c.Username, c.Password = user, password
		}
	}
	header, err := authconfig.Encode(registry.AuthConfig{
		Username: c.Username, Password: c.Password, IdentityToken: c.IdentityToken, RegistryToken: c.RegistryToken,
		ServerAddress: host,
	})
	if err != nil {
		return login{}, fmt.Errorf("writing the login for %s: %w", host, err)
	}
	l := login{header: header, secrets: []string{c.Auth, c.Password, c.IdentityToken, c.RegistryToken}}
	if c.Password+c.IdentityToken+c.RegistryToken != "" {
		both := []byte(c.Username + ":" + c.Password)
		l.secrets = append(l.secrets, header, base64.StdEncoding.EncodeToString(both), base64.RawURLEncoding.EncodeToString(both))
	}
	return l, nil
}

// splitAuth takes the form of a config file apart: base64 of user:password.
func splitAuth(auth string) (user, password string, ok bool) {
	plain, err := base64.StdEncoding.DecodeString(auth)
	if err != nil {
		return "", "", false
	}
	return strings.Cut(string(plain), ":")
}

// hide returns the text without the login's secrets, should a registry have
// repeated them.
func (l login) hide(text string) string {
	for _, s := range l.secrets {
		if s != "" {
			text = strings.ReplaceAll(text, s, "…")
		}
	}
	return text
}
