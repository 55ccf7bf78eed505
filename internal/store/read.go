package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"crossswe/schemas"
)

// Get reads one record; false when there is none.
func Get[T schemas.Record](ctx context.Context, s *Store, key string) (T, bool, error) {
	var zero T
	var body []byte
	err := s.reader().QueryRowContext(ctx, "SELECT body FROM records WHERE kind = $1 AND key = $2", zero.RecordKind(), key).Scan(&body)
	if errors.Is(err, sql.ErrNoRows) {
		return zero, false, nil
	}
	if err != nil {
		return zero, false, fmt.Errorf("reading %s %s: %w", zero.RecordKind(), key, err)
	}
	rec, err := schemas.Decode[T](body)
	return rec, err == nil, err
}

// All reads every record of a kind, ordered by key.
func All[T schemas.Record](ctx context.Context, s *Store) ([]T, error) {
	var zero T
	rows, err := s.reader().QueryContext(ctx, "SELECT body FROM records WHERE kind = $1 ORDER BY key", zero.RecordKind())
	if err != nil {
		return nil, fmt.Errorf("reading the %s records: %w", zero.RecordKind(), err)
	}
	defer rows.Close()
	var all []T
	for rows.Next() {
		var body []byte
		if err := rows.Scan(&body); err != nil {
			return nil, fmt.Errorf("reading the %s records: %w", zero.RecordKind(), err)
		}
		rec, err := schemas.Decode[T](body)
		if err != nil {
			return nil, err
		}
		all = append(all, rec)
	}
	return all, rows.Err()
}

// Mark reads a watermark, "" when there is none.
func (s *Store) Mark(ctx context.Context, name string) (string, error) {
	var v string
	err := s.reader().QueryRowContext(ctx, "SELECT value FROM marks WHERE name = $1", name).Scan(&v)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return "", fmt.Errorf("reading mark %s: %w", name, err)
	}
	return v, nil
}
