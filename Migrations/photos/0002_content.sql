-- What a photo is, beside it: media type by its first bytes, size, and SHA-256. The blob itself comes
-- last, so that lists never read it. Two rows with the same content can now be found.

-- lockstep: up
-- lockstep: rebuild table photos
-- lockstep: set name = coalesce(name, 'photo ' || id)
-- lockstep: set mediaType = CASE WHEN substr(photo, 1, 3) = x'FFD8FF' THEN 'image/jpeg' WHEN substr(photo, 1, 8) = x'89504E470D0A1A0A' THEN 'image/png' WHEN substr(photo, 1, 4) = x'47494638' THEN 'image/gif' WHEN substr(photo, 1, 4) = x'52494646' AND substr(photo, 9, 4) = x'57454250' THEN 'image/webp' WHEN substr(photo, 5, 8) = x'6674797068656963' THEN 'image/heic' ELSE 'application/octet-stream' END
-- lockstep: set byteCount = coalesce(length(photo), 0)
-- lockstep: set sha256 = lockstep_sha256(coalesce(photo, x''))
-- lockstep: set photo = coalesce(photo, x'')
CREATE TABLE photos (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    mediaType TEXT NOT NULL,
    byteCount INTEGER NOT NULL,
    sha256 BLOB NOT NULL CHECK (length(sha256) = 32),
    photo BLOB NOT NULL
);
CREATE INDEX photos_by_content ON photos (sha256);

-- lockstep: down
DROP INDEX photos_by_content;
-- lockstep: rebuild table photos
-- lockstep: drop column mediaType
-- lockstep: drop column byteCount
-- lockstep: drop column sha256
CREATE TABLE photos (id INTEGER PRIMARY KEY, name TEXT, photo BLOB);
