-- The constraints that the program has always assumed: watched is yes or no, likes are 0 to 3.
-- An empty address is no address. The two lists that people look at get their indexes.

-- lockstep: up
UPDATE movies SET
    watched = CASE watched WHEN 0 THEN 0 ELSE 1 END,
    likes = least(greatest(likes, 0), 3),
    "movieURL" = nullif(btrim("movieURL"), '');
ALTER TABLE movies
    ALTER COLUMN likes SET DEFAULT 0,
    ADD CONSTRAINT movies_watched_check CHECK (watched IN (0, 1)),
    ADD CONSTRAINT movies_likes_check CHECK (likes BETWEEN 0 AND 3);
CREATE INDEX movies_by_year ON movies (year);
CREATE INDEX movies_by_category ON movies (category, year DESC);

-- lockstep: down
DROP INDEX movies_by_category;
DROP INDEX movies_by_year;
ALTER TABLE movies
    DROP CONSTRAINT movies_watched_check,
    DROP CONSTRAINT movies_likes_check,
    ALTER COLUMN likes DROP DEFAULT;
