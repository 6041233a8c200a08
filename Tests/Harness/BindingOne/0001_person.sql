-- lockstep: up
CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT NOT NULL, ssn TEXT, country TEXT, email TEXT, photo BLOB);
INSERT INTO person (id, name, ssn, country, email) VALUES (1, 'Ann', 'SECRETssn1', 'AT', 'ann@example.org'), (2, 'Bob', 'SECRETssn2', 'CH', 'bob@example.org'), (3, 'Cleo', NULL, 'AT', NULL);
-- lockstep: protect person.ssn dataset=people padding=32
-- lockstep: protect person.country dataset=people mode=deterministic
-- lockstep: protect person.email dataset=people index=email:24,exact:128
-- lockstep: protect person.photo dataset=people
