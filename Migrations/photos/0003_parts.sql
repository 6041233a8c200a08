-- Content of any length. A value has room for 1,000,000,000 bytes at most, and whoever changes a column of a
-- row has all of the row in memory; so what is longer than 8 MiB lies in parts, and its photo is empty.
-- What was longer before stays where it is.
--
-- Which part is the last belongs to the key: a sealed part opens only under its own, so that none can be
-- missing at the end without being missed.

-- lockstep: up
CREATE TABLE photo_part (
    photo INTEGER NOT NULL REFERENCES photos (id) ON DELETE CASCADE,
    start INTEGER NOT NULL,
    isLast INTEGER NOT NULL CHECK (isLast IN (0, 1)),
    bytes BLOB,
    PRIMARY KEY (photo, start, isLast)
);

-- lockstep: down
-- lockstep: allow loss of table photo_part
-- A photo that is too long for one value fails here, and everything stays; so does one whose parts are
-- sealed, which are longer than what is in them.
UPDATE photos SET
    photo = (SELECT CAST(group_concat(bytes, '') AS BLOB)
        FROM (SELECT bytes FROM photo_part WHERE photo_part.photo = photos.id ORDER BY start)),
    byteCount = (SELECT CASE sum(length(bytes)) WHEN byteCount THEN byteCount END
        FROM photo_part WHERE photo_part.photo = photos.id)
WHERE id IN (SELECT photo FROM photo_part);
DROP TABLE photo_part;
