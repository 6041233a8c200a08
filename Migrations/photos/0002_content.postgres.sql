-- What a photo is, beside it: media type by its first bytes, size, and SHA-256. Two rows with the same content can now
-- be found.

-- lockstep: up
-- The photo stays the last column, as in a file.
ALTER TABLE photos RENAME COLUMN photo TO old;
ALTER TABLE photos
    ADD COLUMN "mediaType" text,
    ADD COLUMN "byteCount" bigint,
    ADD COLUMN sha256 bytea,
    ADD COLUMN photo bytea;
UPDATE photos SET
    name = coalesce(name, 'photo ' || id),
    "mediaType" = CASE
        WHEN substr(old, 1, 3) = '\xFFD8FF' THEN 'image/jpeg'
        WHEN substr(old, 1, 8) = '\x89504E470D0A1A0A' THEN 'image/png'
        WHEN substr(old, 1, 4) = '\x47494638' THEN 'image/gif'
        WHEN substr(old, 1, 4) = '\x52494646' AND substr(old, 9, 4) = '\x57454250' THEN 'image/webp'
        WHEN substr(old, 5, 8) = '\x6674797068656963' THEN 'image/heic'
        ELSE 'application/octet-stream'
    END,
    "byteCount" = coalesce(length(old), 0),
    sha256 = sha256(coalesce(old, '')),
    photo = coalesce(old, '');
ALTER TABLE photos
    ALTER COLUMN name SET NOT NULL,
    ALTER COLUMN "mediaType" SET NOT NULL,
    ALTER COLUMN "byteCount" SET NOT NULL,
    ALTER COLUMN sha256 SET NOT NULL,
    ALTER COLUMN photo SET NOT NULL,
    ADD CONSTRAINT photos_sha256_check CHECK (length(sha256) = 32),
    DROP COLUMN old;
CREATE INDEX photos_by_content ON photos (sha256);

-- lockstep: down
-- lockstep: allow loss of column photos.mediaType
-- lockstep: allow loss of column photos.byteCount
-- lockstep: allow loss of column photos.sha256
DROP INDEX photos_by_content;
ALTER TABLE photos
    ALTER COLUMN name DROP NOT NULL,
    ALTER COLUMN photo DROP NOT NULL,
    DROP COLUMN "mediaType",
    DROP COLUMN "byteCount",
    DROP COLUMN sha256;
