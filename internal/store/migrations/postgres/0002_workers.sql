-- +goose Up
-- Processes that work on jobs. A process whose lease has run out, or that is
-- known to be dead, has lost its jobs.
CREATE TABLE workers (
    id         TEXT NOT NULL PRIMARY KEY,
    stage      TEXT NOT NULL,
    host       TEXT NOT NULL, -- names the machine, and what shares its process ids
    pid        INTEGER NOT NULL,
    started    TEXT NOT NULL, -- of the process, as the machine counts it: a pid is used again
    until_ms   BIGINT NOT NULL, -- end of the lease: milliseconds since 1970, by the database's clock
    containers INTEGER NOT NULL, -- what its jobs hold of the machine
    memory_mb  BIGINT NOT NULL
);

-- +goose Down
DROP TABLE workers;
