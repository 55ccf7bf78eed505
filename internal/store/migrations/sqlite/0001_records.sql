-- +goose Up
-- Bodies are JSON of the types in package schemas; they are checked when read.
CREATE TABLE records (
    kind TEXT NOT NULL,
    key  TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (kind, key)
);

-- One row per stage and item: what became of it. Written last, in the same
-- transaction as the item's records, so that a killed stage takes it again.
CREATE TABLE items (
    stage  TEXT NOT NULL,
    id     TEXT NOT NULL,
    input  TEXT NOT NULL, -- hash of what the outcome was derived from
    state  TEXT NOT NULL CHECK (state IN ('kept', 'dropped', 'failed')),
    reason TEXT NOT NULL,
    detail TEXT NOT NULL,
    at     TEXT NOT NULL, -- RFC 3339, UTC
    PRIMARY KEY (stage, id)
);
CREATE INDEX items_by_reason ON items (stage, state, reason);

-- Watermarks: how far a source has been read.
CREATE TABLE marks (
    name  TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
);

-- +goose Down
DROP TABLE marks;
DROP TABLE items;
DROP TABLE records;
