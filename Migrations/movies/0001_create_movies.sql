-- The catalogue as the original program made it.

-- lockstep: up
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

-- lockstep: down
-- lockstep: allow loss of table movies
DROP TABLE movies;
