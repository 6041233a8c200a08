-- lockstep: up
CREATE TABLE film (id INTEGER PRIMARY KEY, title TEXT NOT NULL, category TEXT NOT NULL, year INTEGER NOT NULL);
-- lockstep: protect film.title dataset=films index=casefold
