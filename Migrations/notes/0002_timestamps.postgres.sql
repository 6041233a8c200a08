-- Every note has a text, and a title: the first 50 characters of the text where it had none. From now
-- on it is known when a note was made and last changed, in microseconds since 1970 in UTC; of older
-- notes that is not known.

-- lockstep: up
UPDATE records SET
    title = coalesce(nullif(btrim(title), ''), substr(btrim(coalesce(txt, '')), 1, 50)),
    txt = coalesce(txt, '');
-- The text stays the last column, as in a file.
ALTER TABLE records RENAME COLUMN txt TO old;
ALTER TABLE records
    ALTER COLUMN title SET NOT NULL,
    ADD COLUMN "createdAt" bigint,
    ADD COLUMN "changedAt" bigint,
    ADD COLUMN txt text;
UPDATE records SET txt = old;
ALTER TABLE records ALTER COLUMN txt SET NOT NULL, DROP COLUMN old;
CREATE INDEX records_by_change ON records ("changedAt" DESC NULLS LAST);

-- lockstep: down
-- lockstep: allow loss of column records.createdAt
-- lockstep: allow loss of column records.changedAt
DROP INDEX records_by_change;
ALTER TABLE records
    ALTER COLUMN title DROP NOT NULL,
    ALTER COLUMN txt DROP NOT NULL,
    DROP COLUMN "createdAt",
    DROP COLUMN "changedAt";
