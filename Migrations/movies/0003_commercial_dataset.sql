-- The catalogue becomes a commercial dataset: anyone who can open the database reads years and ratings, and only the
-- keyring of the dataset movies reads titles, categories and addresses. Films are found by title and category through
-- blind indexes. There are few categories, and perhaps few titles: anyone who opens the database can see how often
-- each occurs, but not which one it is.

-- lockstep: up
-- Its pages hold the values; a blind index finds what is sealed.
DROP INDEX movies_by_category;
-- lockstep: protect movies.title dataset=movies index=casefold histogram=accepted padding=32
-- lockstep: protect movies.category dataset=movies index=casefold histogram=accepted padding=16
-- lockstep: protect movies.movieURL dataset=movies padding=32
-- lockstep: protect movies.coverURL dataset=movies padding=32

-- lockstep: down
-- lockstep: unprotect movies.coverURL dataset=movies
-- lockstep: unprotect movies.movieURL dataset=movies
-- lockstep: unprotect movies.category dataset=movies
-- lockstep: unprotect movies.title dataset=movies
CREATE INDEX movies_by_category ON movies (category, year DESC);
