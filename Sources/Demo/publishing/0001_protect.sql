-- The catalogue as it is published: whoever has the file and can open it reads years and ratings, and only who
-- has the dataset's keyring reads the films.

-- lockstep: up
-- Its pages hold the values; a blind index finds what is sealed.
DROP INDEX movies_by_category;
-- lockstep: protect movies.title dataset=catalogue index=casefold padding=32
-- lockstep: protect movies.category dataset=catalogue padding=16
-- lockstep: protect movies.movieURL dataset=catalogue padding=32
-- lockstep: protect movies.coverURL dataset=catalogue padding=32

-- lockstep: down
-- lockstep: unprotect movies.coverURL dataset=catalogue
-- lockstep: unprotect movies.movieURL dataset=catalogue
-- lockstep: unprotect movies.category dataset=catalogue
-- lockstep: unprotect movies.title dataset=catalogue
CREATE INDEX movies_by_category ON movies (category, year DESC);
