-- Every note has a text, and a title: the first 50 characters of the text where it had none. From now
-- on it is known when a note was made and last changed, in microseconds since 1970 in UTC; of older
-- notes that is not known. The text comes last, so that lists of titles need not read past it.

-- lockstep: up
-- lockstep: rebuild table records
-- lockstep: set title = coalesce(nullif(trim(title), ''), substr(trim(coalesce(txt, '')), 1, 50))
-- lockstep: set txt = coalesce(txt, '')
CREATE TABLE records (
    id INTEGER PRIMARY KEY,
    title TEXT NOT NULL,
    createdAt INTEGER,
    changedAt INTEGER,
    txt TEXT NOT NULL
);
CREATE INDEX records_by_change ON records (changedAt DESC);

-- lockstep: down
DROP INDEX records_by_change;
-- lockstep: rebuild table records
-- lockstep: drop column createdAt
-- lockstep: drop column changedAt
CREATE TABLE records (id INTEGER PRIMARY KEY, title TEXT, txt TEXT);
