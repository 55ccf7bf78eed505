-- +goose Up
-- Processes that work on jobs. A process whose lease has run out, or that is
-- known to be dead, has lost its jobs.
CREATE TABLE workers (
    id         TEXT NOT NULL PRIMARY KEY,
    stage      TEXT NOT NULL,
    machine    TEXT NOT NULL, -- since its last start, with the process numbers it shares
    process    TEXT NOT NULL, -- number and start, by which this machine knows whether it runs
    until_ms   BIGINT NOT NULL, -- end of the lease: milliseconds since 1970, by the database's clock
    containers INTEGER NOT NULL, -- what its jobs hold of the machine
    memory_mb  BIGINT NOT NULL
);

-- +goose Down
DROP TABLE workers;
