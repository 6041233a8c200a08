-- The constraints that the program has always assumed: watched is yes or no, likes are 0 to 3.
-- An empty address is no address. The two lists that people look at get their indexes.

-- lockstep: up
-- lockstep: rebuild table movies
-- lockstep: set watched = watched <> 0
-- lockstep: set likes = min(max(CAST(likes AS INTEGER), 0), 3)
-- lockstep: set movieURL = nullif(trim(movieURL), '')
CREATE TABLE movies (
    movieID INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    title TEXT NOT NULL,
    category TEXT NOT NULL,
    year INTEGER NOT NULL,
    movieURL TEXT,
    coverURL TEXT NOT NULL,
    watched INTEGER NOT NULL DEFAULT 0 CHECK (watched IN (0, 1)),
    likes INTEGER NOT NULL DEFAULT 0 CHECK (likes BETWEEN 0 AND 3)
);
CREATE INDEX movies_by_year ON movies (year);
CREATE INDEX movies_by_category ON movies (category, year DESC);

-- lockstep: down
DROP INDEX movies_by_category;
DROP INDEX movies_by_year;
-- lockstep: rebuild table movies
CREATE TABLE movies (
    movieID integer primary key autoincrement not null,
    title text not null,
    category text not null,
    year integer not null,
    movieURL text,
    coverURL text not null,
    watched bool not null default 0,
    likes integer not null
);
