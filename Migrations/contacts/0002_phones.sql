-- A separate table for phones: one person can have several. Names are text, never NULL.

-- lockstep: up
CREATE TABLE phone (
    id INTEGER PRIMARY KEY,
    contact INTEGER NOT NULL REFERENCES Contacts (idx) ON DELETE CASCADE,
    label TEXT NOT NULL DEFAULT 'phone',
    number TEXT NOT NULL CHECK (number <> '')
);
INSERT INTO phone (contact, number)
SELECT idx, trim(CAST(phone AS TEXT)) FROM Contacts
WHERE trim(CAST(phone AS TEXT)) <> ''
ORDER BY idx;
CREATE INDEX phone_by_contact ON phone (contact);

-- lockstep: rebuild table Contacts
-- lockstep: set firstname = coalesce(CAST(firstname AS TEXT), '')
-- lockstep: set lastname = coalesce(CAST(lastname AS TEXT), '')
-- lockstep: drop column phone
CREATE TABLE Contacts (
    idx INTEGER PRIMARY KEY,
    firstname TEXT NOT NULL,
    lastname TEXT NOT NULL
);
CREATE INDEX Contacts_by_name ON Contacts (lastname, firstname);

-- lockstep: down
-- A person with several phones keeps the first.
DROP INDEX Contacts_by_name;
-- lockstep: rebuild table Contacts
-- lockstep: set phone = (SELECT number FROM phone WHERE contact = Contacts.idx ORDER BY id LIMIT 1)
CREATE TABLE Contacts (idx INTEGER PRIMARY KEY, firstname, lastname, phone);
-- lockstep: allow loss of table phone
DROP TABLE phone;
