-- Statuses that contain a word, from a full-text index that the server keeps current. It takes at most a megabyte of
-- words, so that of a very long text only the beginning is found.

-- lockstep: up
CREATE INDEX "Status_search" ON "Status" USING gin (to_tsvector('simple', left(text, 200000)));

-- lockstep: down
DROP INDEX "Status_search";
