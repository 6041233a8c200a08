-- The text editor's records as the original program made them.

-- lockstep: up
CREATE TABLE records (id INTEGER PRIMARY KEY, title TEXT, txt TEXT);

-- lockstep: down
-- lockstep: allow loss of table records
DROP TABLE records;
