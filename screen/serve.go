package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"

	"crossswe/internal/cli"
	"crossswe/internal/config"
	"crossswe/internal/jobs"
	"crossswe/schemas"
	"crossswe/screen/internal/web"
)

// serve runs the web server until the context ends.
func serve(ctx context.Context, s *session) (err error) {
	if len(s.Args) > 0 {
		return cli.Usagef("-serve takes no command")
	}
	vitals, open := s.Vitals(), http.NewServeMux()
	vitals.Terse = true
	vitals.Handle(open)
	link, signIn, err := s.signIn()
	if err != nil {
		return err
	}
	if link != nil {
		open.Handle("GET "+web.SignInPath, link)
	}
	client, end, err := jobs.OpenClient(ctx, s.Store, s.Log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	life, stop := context.WithCancel(ctx)
	defer stop()
	queue, err := web.NewJobs(life, client, s.Log)
	if err != nil {
		return err
	}
	w, err := s.Listen(ctx, web.New(open, web.Options{Log: s.Log, Store: s.Store, SignIn: signIn, Jobs: queue, Local: link != nil}))
	if err != nil {
		return err
	}
	vitals.Begin(func() error { return nil })
	if link != nil {
		fmt.Fprintf(s.stderr, "To sign in as %s, open this link within 15 minutes; it is good once:\n\n  http://%s%s\n\n", s.as, w.Address, link.Path())
	}
	return w.Wait(ctx)
}

// signIn is how people sign in; the link is nil when it is not by one.
func (s *session) signIn() (*web.Link, web.SignIn, error) {
	c := s.Config.Screen
	if c.SignIn == config.SignInHeader {
		if s.as != "" {
			return nil, nil, cli.Usagef("-as is for sign_in: link; the proxy says who people are")
		}
		h := web.Header{Name: c.Header}
		for _, p := range c.Proxies {
			h.Proxies = append(h.Proxies, p.Prefix)
		}
		return nil, h, nil
	}
	if err := schemas.ValidReviewer(s.as); err != nil {
		return nil, nil, cli.Usagef("-as NAME, who signs in, is required: %w", err)
	}
	if err := loopback(s.ListenAddress()); err != nil {
		return nil, nil, err
	}
	key, err := sessionKey(s.key)
	if err != nil {
		return nil, nil, err
	}
	link := web.NewLink(s.as, key, s.now)
	return link, link, nil
}

// loopback refuses an address that others can reach: the link and the session
// would cross the network in the clear, and there is but one of the first.
func loopback(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return cli.Usagef("-listen: %w", err)
	}
	ip, err := netip.ParseAddr(host)
	if host == "localhost" || err == nil && ip.IsLoopback() {
		return nil
	}
	return cli.Usagef("-listen %s: with sign_in: link the server listens on 127.0.0.1, [::1] or localhost only; for others put a proxy in front and set screen.sign_in: header", address)
}

// sessionKey is the key that signs sessions: the given text, or a new one. Its
// errors do not repeat it.
func sessionKey(text string) ([]byte, error) {
	if text == "" {
		key := make([]byte, web.KeySize)
		_, err := rand.Read(key)
		return key, err
	}
	if len(text) < web.KeySize {
		return nil, cli.Usagef("%s has %d bytes: want %d at least", sessionKeyVariable, len(text), web.KeySize)
	}
	return []byte(text), nil
}
