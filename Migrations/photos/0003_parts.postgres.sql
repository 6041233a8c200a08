-- Content of any length. A value holds at most a gigabyte, and a program that changes a column has the whole row in
-- memory. So content of more than 8 MiB is stored in parts, and its photo is empty. Longer content from before stays
-- where it is.
--
-- The key says which part is the last. A sealed part opens only under its key, so a part that is missing at the
-- end is detected.

-- lockstep: up
CREATE TABLE photo_part (
    photo bigint NOT NULL REFERENCES photos (id) ON DELETE CASCADE,
    start bigint NOT NULL,
    "isLast" bigint NOT NULL CHECK ("isLast" IN (0, 1)),
    bytes bytea,
    PRIMARY KEY (photo, start, "isLast")
);

-- lockstep: down
-- lockstep: allow loss of table photo_part
-- A photo that is too long for one value fails here, and everything stays; so does one whose parts are
-- sealed, which are longer than what is in them.
UPDATE photos SET
    photo = (SELECT string_agg(bytes, '' ORDER BY start) FROM photo_part WHERE photo_part.photo = photos.id),
    "byteCount" = (SELECT CASE sum(length(bytes)) WHEN "byteCount" THEN "byteCount" END
        FROM photo_part WHERE photo_part.photo = photos.id)
WHERE id IN (SELECT photo_part.photo FROM photo_part);
DROP TABLE photo_part;
