package container

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"

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
	auth, err := authn.Resolve(ctx, e.keys, repo)
	if err != nil {
		return login{}, fmt.Errorf("%w: reading the login for %s: %w", ErrRegistryDenied, repo.RegistryStr(), err)
	}
	config, err := authn.Authorization(ctx, auth)
	if err != nil {
		return login{}, fmt.Errorf("%w: reading the login for %s: %w", ErrRegistryDenied, repo.RegistryStr(), err)
	}
	return newLogin(*config, repo.RegistryStr())
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
