-- People with one phone each, as the original program made them.

-- lockstep: up
CREATE TABLE Contacts (idx INTEGER PRIMARY KEY, firstname, lastname, phone);

-- lockstep: down
-- lockstep: allow loss of table Contacts
DROP TABLE Contacts;
