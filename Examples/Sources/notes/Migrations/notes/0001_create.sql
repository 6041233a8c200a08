-- lockstep: up
CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL, written TEXT NOT NULL);
-- lockstep: down
DROP TABLE note;
