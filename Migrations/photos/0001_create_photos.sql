-- Photos as the original program's canned database had them.

-- lockstep: up
CREATE TABLE photos (id INTEGER PRIMARY KEY, name TEXT, photo BLOB);

-- lockstep: down
-- lockstep: allow loss of table photos
DROP TABLE photos;
