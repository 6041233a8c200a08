-- createdAt becomes an instant: microseconds since 1970 in UTC. Four forms were written over the years:
-- seconds since 1970, "2012-08-28 20:35:00" (UTC, or with an offset), "2012-08-28 20:35:00 +0000" (an object's
-- description), and the service's own
-- "Tue Aug 28 20:35:00 +0800 2012". A date in another form stays readable in createdAtAsWritten.
-- Deleting a user deletes the user's statuses. A timeline is read from its index.
-- The original program wrote the user itself, as text, where the user's key belongs: nobody knows whose status that is.

-- lockstep: up
-- lockstep: report statuses named no user by key, and have none now
UPDATE Status SET user = NULL WHERE typeof(user) NOT IN ('integer', 'null');

CREATE TABLE instants (Id INTEGER PRIMARY KEY, instant INTEGER);
INSERT INTO instants (Id, instant)
WITH
written (Id, value) AS (SELECT Id, createdAt FROM Status),
readable (Id, value, iso) AS (
    SELECT Id, value,
        CASE WHEN value GLOB '??? ??? ?? ??:??:?? [+-]???? ????'
            THEN substr(value, 27, 4) || '-'
                || printf('%02d', (instr('JanFebMarAprMayJunJulAugSepOctNovDec', substr(value, 5, 3)) + 2) / 3)
                || '-' || substr(value, 9, 2) || 'T' || substr(value, 12, 8)
                || substr(value, 21, 3) || ':' || substr(value, 24, 2)
            WHEN value GLOB '????-??-?? ??:??:?? [+-]????'
            THEN substr(value, 1, 19) || substr(value, 21, 3) || ':' || substr(value, 24, 2)
            ELSE value
        END
    FROM written
)
SELECT Id,
    CASE
        WHEN typeof(value) IN ('integer', 'real') THEN CAST(round(value * 1000000) AS INTEGER)
        ELSE CAST(strftime('%s', iso) AS INTEGER) * 1000000
            + CAST(round((CAST(strftime('%f', iso) AS REAL) - CAST(strftime('%S', iso) AS INTEGER)) * 1000) AS INTEGER) * 1000
    END
FROM readable;

-- lockstep: rebuild table User
-- lockstep: set name = coalesce(CAST(name AS TEXT), '')
-- lockstep: set screenName = coalesce(CAST(screenName AS TEXT), CAST(name AS TEXT), '')
CREATE TABLE User (
    Id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    screenName TEXT NOT NULL,
    profileImageUrl TEXT,
    mbtype TEXT,
    city TEXT
);
CREATE INDEX User_by_name ON User (name);

-- lockstep: rebuild table Status
-- lockstep: set createdAt = (SELECT instant FROM instants AS i WHERE i.Id = Status.Id)
-- lockstep: set createdAtAsWritten = CASE WHEN (SELECT instant FROM instants AS i WHERE i.Id = Status.Id) IS NULL THEN CAST(createdAt AS TEXT) END
-- lockstep: set text = coalesce("text", '')
CREATE TABLE Status (
    Id INTEGER PRIMARY KEY AUTOINCREMENT,
    source TEXT,
    createdAt INTEGER,
    createdAtAsWritten TEXT,
    "text" TEXT NOT NULL,
    user INTEGER REFERENCES User (Id) ON DELETE CASCADE
);
CREATE INDEX Status_timeline ON Status (createdAt DESC);
CREATE INDEX Status_by_user ON Status (user, createdAt DESC);
-- lockstep: allow loss of table instants
DROP TABLE instants;

-- lockstep: down
DROP INDEX Status_by_user;
DROP INDEX Status_timeline;
DROP INDEX User_by_name;
-- lockstep: rebuild table Status
-- lockstep: set createdAt = coalesce(createdAtAsWritten, strftime('%Y-%m-%d %H:%M:%S', createdAt / 1000000, 'unixepoch') || substr(printf('%.3f', createdAt % 1000000 / 1000000.0), 2))
-- lockstep: drop column createdAtAsWritten
CREATE TABLE Status (
    Id integer PRIMARY KEY AUTOINCREMENT,
    source text,
    createdAt date,
    "text" text,
    user integer REFERENCES User (Id)
);
-- lockstep: rebuild table User
CREATE TABLE User (
    Id integer PRIMARY KEY AUTOINCREMENT,
    name text,
    screenName text,
    profileImageUrl text,
    mbtype text,
    city text
);
