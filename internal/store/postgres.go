package store

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
)

const (
	// answerWithin bounds the making of a connection, so that a server that is
	// not there is an error and not a hang.
	answerWithin = 10 * time.Second
	// maxConns leaves room for several programs among the 100 connections that
	// a server has by default.
	maxConns = 16
	// lockID is the advisory lock under which a database is set up: "xswe".
	lockID = 0x78737765
)

// keepAlive notices within half a minute that a server that is waited for has
// gone away without a word.
var keepAlive = net.KeepAliveConfig{Enable: true, Idle: 15 * time.Second, Interval: 5 * time.Second, Count: 3}

// parameters are what a URL may set. A misspelt one would otherwise be sent to
// the server as one of its own settings.
var parameters = []string{
	"application_name", "channel_binding", "connect_timeout", "host", "passfile", "search_path",
	"sslcert", "sslkey", "sslmode", "sslrootcert", "sslsni", "target_session_attrs",
}

func isURL(place string) bool {
	return strings.HasPrefix(place, "postgres://") || strings.HasPrefix(place, "postgresql://")
}

// CheckURL says what is wrong with the URL of a PostgreSQL database. It must
// hold no password: that comes from PGPASSWORD or a pgpass file. The error
// quotes nothing of the URL, for that may hold one all the same.
func CheckURL(text string) error {
	u, err := url.Parse(text)
	// What is in the wrong place may be the rest of a password that was not
	// escaped, and would be quoted as the database's name.
	if !isURL(text) || err != nil || len(u.Path) < 2 || strings.ContainsAny(u.EscapedPath()[1:], "/@:") || u.Fragment != "" {
		return errors.New("a URL of the form postgres://user@host:5432/database?sslmode=verify-full is wanted")
	}
	q, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return errors.New("what stands after the ? is not of the form name=value&name=value")
	}
	if _, set := u.User.Password(); set || q.Has("password") || q.Has("sslpassword") {
		return errors.New("a password does not belong here: set PGPASSWORD, or write it to a pgpass file")
	}
	if u.Host == "" && !q.Has("host") {
		return errors.New("the URL names no host")
	}
	for name := range q {
		if !slices.Contains(parameters, name) {
			return fmt.Errorf("what stands after the ? may set only %s", strings.Join(parameters, ", "))
		}
	}
	return nil
}

// connectPostgres makes the first connection, for its errors.
func connectPostgres(ctx context.Context, text string) (*Store, error) {
	config, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("opening the store: %w", err)
	}
	c := config.ConnConfig
	name := fmt.Sprintf("postgres://%s@%s/%s", c.User, net.JoinHostPort(c.Host, strconv.Itoa(int(c.Port))), c.Database)
	s := &Store{db: stdlib.OpenDB(*c, stdlib.OptionShouldPing(always)), engine: Postgres, name: name, config: config}
	s.db.SetMaxOpenConns(maxConns)
	s.db.SetMaxIdleConns(maxConns)
	s.db.SetConnMaxIdleTime(5 * time.Minute)
	if err := s.db.PingContext(ctx); err != nil {
		s.db.Close()
		return nil, fmt.Errorf("opening the store %s: %w", name, refusal(c, err))
	}
	return s, nil
}

// always asks whether a pooled connection still lives before it is used. One
// that was cut is then replaced, and not found out by a commit that fails.
func always(context.Context, stdlib.ShouldPingParams) bool { return true }

// parse reads the URL, and with it PGPASSWORD and the pgpass file, as every
// program of PostgreSQL does.
func parse(text string) (*pgxpool.Config, error) {
	if err := CheckURL(text); err != nil {
		return nil, err
	}
	config, err := pgxpool.ParseConfig(text)
	if err != nil {
		return nil, err // it quotes the URL, in which CheckURL found no password
	}
	c := config.ConnConfig
	if c.ConnectTimeout == 0 {
		c.ConnectTimeout = answerWithin
	}
	c.DialFunc = (&net.Dialer{KeepAliveConfig: keepAlive}).DialContext
	if c.RuntimeParams["application_name"] == "" {
		c.RuntimeParams["application_name"] = "crossswe"
	}
	return config, nil
}

// refusal says why no connection could be made and what to do. It drops pgx's
// own wrapping, which repeats the place and carries the password within.
func refusal(c *pgx.ConnConfig, err error) error {
	var outer *pgconn.ConnectError
	if errors.As(err, &outer) {
		err = outer.Unwrap()
	}
	var server *pgconn.PgError
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("no answer within %s: %w", c.ConnectTimeout, err)
	case !errors.As(err, &server):
		return distinct(err)
	case strings.HasPrefix(server.Code, "28"): // invalid authorization
		return fmt.Errorf("%w; the password comes from PGPASSWORD or a pgpass file", server)
	case server.Code == "3D000": // no such database
		return fmt.Errorf("%w; make it first, with createdb", server)
	}
	return server
}

// distinct drops from joined errors those that say the same: one address is
// tried with TLS and without.
func distinct(err error) error {
	many, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return err
	}
	var all []error
	for _, e := range many.Unwrap() {
		if !slices.ContainsFunc(all, func(o error) bool { return o.Error() == e.Error() }) {
			all = append(all, e)
		}
	}
	return errors.Join(all...)
}

// lockSchema waits until no other process sets the database up. It holds a connection
// of its own until unlock is called.
func (s *Store) lockSchema(ctx context.Context) (unlock func(), err error) {
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", lockID); err != nil {
		conn.Close()
		return nil, fmt.Errorf("waiting for another program to set it up: %w", err)
	}
	return func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerWithin)
		defer cancel()
		// Should this fail then the connection is broken, and its end frees the lock.
		_, _ = conn.ExecContext(ctx, "SELECT pg_advisory_unlock($1)", lockID)
		conn.Close()
	}, nil
}

// claimSchema refuses a schema with tables and none of ours among them.
func (s *Store) claimSchema(ctx context.Context) error {
	var nowhere bool
	var all, ours int
	const q = `SELECT current_schema() IS NULL, count(*), count(*) FILTER (WHERE tablename = $1)
FROM pg_tables WHERE schemaname = current_schema()`
	if err := s.db.QueryRowContext(ctx, q, dialects[Postgres].versions).Scan(&nowhere, &all, &ours); err != nil {
		return err
	}
	switch {
	case nowhere:
		return errors.New("the search_path names no schema that is there")
	case all > 0 && ours == 0:
		return ErrForeign
	}
	return nil
}

// Listener makes a pool for LISTEN, which database/sql cannot do; nil on
// SQLite. It connects when it is used. The caller closes it.
func (s *Store) Listener(ctx context.Context) (*pgxpool.Pool, error) {
	if s.config == nil {
		return nil, nil
	}
	config := s.config.Copy()
	config.MinConns, config.MaxConns = 0, 1
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("opening the store %s for listening: %w", s.name, err)
	}
	return pool, nil
}
