-- lockstep: up
CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT NOT NULL, born INTEGER, joined TEXT NOT NULL, tags TEXT NOT NULL);
