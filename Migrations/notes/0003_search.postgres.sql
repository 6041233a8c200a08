-- Full-text search over titles and texts. The server keeps the index current by itself. It takes at most a megabyte of
-- words, so that of a very long text only the beginning is found.

-- lockstep: up
CREATE INDEX records_search ON records
    USING gin (to_tsvector('simple', left(title || ' ' || txt, 200000)));

-- lockstep: down
DROP INDEX records_search;
