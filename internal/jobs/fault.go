package jobs

import (
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// transient reports whether an error of the database may be gone with a new
// connection: it says nothing about what was written.
func transient(err error) bool {
	var network net.Error
	var refused *pgconn.ConnectError
	var answer *pgconn.PgError
	switch {
	case err == nil:
		return false
	case errors.As(err, &answer):
		// Class 08: connection; 57P: the server stops or starts; 40: serialization.
		return strings.HasPrefix(answer.Code, "08") || strings.HasPrefix(answer.Code, "57P") || strings.HasPrefix(answer.Code, "40")
	case errors.Is(err, driver.ErrBadConn), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed), errors.Is(err, pgconn.ErrConnClosed):
		return true
	}
	return errors.As(err, &network) || errors.As(err, &refused) || pgconn.SafeToRetry(err)
}

// databases reports whether an error is one of the database, not of another
// place that is reached over a network.
func databases(err error) bool {
	var refused *pgconn.ConnectError
	var answer *pgconn.PgError
	return errors.As(err, &refused) || errors.As(err, &answer) || errors.Is(err, pgconn.ErrConnClosed) || errors.Is(err, driver.ErrBadConn)
}
