-- +goose Up
-- As on SQLite. Texts sort by their bytes there, hence COLLATE "C".
CREATE TABLE records (
    kind TEXT COLLATE "C" NOT NULL,
    key  TEXT COLLATE "C" NOT NULL,
    body TEXT NOT NULL, -- not JSONB: the bytes come back as written
    PRIMARY KEY (kind, key)
);

CREATE TABLE items (
    stage  TEXT COLLATE "C" NOT NULL,
    id     TEXT COLLATE "C" NOT NULL,
    input  TEXT NOT NULL, -- hash of what the outcome was derived from
    state  TEXT COLLATE "C" NOT NULL CHECK (state IN ('kept', 'dropped', 'failed')),
    reason TEXT COLLATE "C" NOT NULL,
    detail TEXT NOT NULL,
    at     TEXT NOT NULL, -- RFC 3339, UTC
    PRIMARY KEY (stage, id)
);
CREATE INDEX items_by_reason ON items (stage, state, reason);

-- Watermarks: how far a source has been read.
CREATE TABLE marks (
    name  TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
);

-- +goose Down
DROP TABLE marks;
DROP TABLE items;
DROP TABLE records;
