-- The catalogue becomes a commercial dataset: anyone who can open the database reads years and ratings, and only the
-- keyring of the dataset movies reads titles, categories and addresses. Films are found by title and category through
-- blind indexes. There are few categories, and perhaps few titles: anyone who opens the database can see how often
-- each occurs, but not which one it is.

-- lockstep: up
-- Its pages hold the values; a blind index finds what is sealed.
DROP INDEX movies_by_category;
ALTER TABLE movies
    ALTER COLUMN title TYPE bytea USING convert_to(title, 'UTF8'),
    ALTER COLUMN category TYPE bytea USING convert_to(category, 'UTF8'),
    ALTER COLUMN "movieURL" TYPE bytea USING convert_to("movieURL", 'UTF8'),
    ALTER COLUMN "coverURL" TYPE bytea USING convert_to("coverURL", 'UTF8');
-- lockstep: protect movies.title dataset=movies index=casefold histogram=accepted padding=32
-- lockstep: protect movies.category dataset=movies index=casefold histogram=accepted padding=16
-- lockstep: protect movies.movieURL dataset=movies padding=32
-- lockstep: protect movies.coverURL dataset=movies padding=32
-- What is not sealed lies open on a server, and not only for those who can open the database.
-- lockstep: plaintext movies.movieID
-- lockstep: plaintext movies.year
-- lockstep: plaintext movies.watched
-- lockstep: plaintext movies.likes

-- lockstep: down
-- lockstep: unprotect movies.coverURL dataset=movies
-- lockstep: unprotect movies.movieURL dataset=movies
-- lockstep: unprotect movies.category dataset=movies
-- lockstep: unprotect movies.title dataset=movies
-- lockstep: plaintext movies.title
-- lockstep: plaintext movies.category
-- lockstep: plaintext movies.movieURL
-- lockstep: plaintext movies.coverURL
ALTER TABLE movies
    ALTER COLUMN title TYPE text USING convert_from(title, 'UTF8'),
    ALTER COLUMN category TYPE text COLLATE "C" USING convert_from(category, 'UTF8'),
    ALTER COLUMN "movieURL" TYPE text USING convert_from("movieURL", 'UTF8'),
    ALTER COLUMN "coverURL" TYPE text USING convert_from("coverURL", 'UTF8');
CREATE INDEX movies_by_category ON movies (category, year DESC);
