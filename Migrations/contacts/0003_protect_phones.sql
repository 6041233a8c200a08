-- Telephone numbers are readable only to who has the keyring of the dataset contacts, and are found by their digits.
-- Whoever opens the database may know how often a number occurs, though not which it is. The CHECK would see cells;
-- the store refuses an empty number itself. A key is never given twice, so that a program that still holds what was
-- deleted cannot change another's row.

-- lockstep: up
-- lockstep: rebuild table Contacts
CREATE TABLE Contacts (
    idx INTEGER PRIMARY KEY AUTOINCREMENT,
    firstname TEXT NOT NULL,
    lastname TEXT NOT NULL
);
-- lockstep: rebuild table phone
CREATE TABLE phone (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    contact INTEGER NOT NULL REFERENCES Contacts (idx) ON DELETE CASCADE,
    label TEXT NOT NULL DEFAULT 'phone',
    number TEXT NOT NULL
);
-- lockstep: protect phone.number dataset=contacts index=digits histogram=accepted padding=32

-- lockstep: down
-- lockstep: unprotect phone.number dataset=contacts
-- lockstep: rebuild table phone
CREATE TABLE phone (
    id INTEGER PRIMARY KEY,
    contact INTEGER NOT NULL REFERENCES Contacts (idx) ON DELETE CASCADE,
    label TEXT NOT NULL DEFAULT 'phone',
    number TEXT NOT NULL CHECK (number <> '')
);
-- lockstep: rebuild table Contacts
CREATE TABLE Contacts (
    idx INTEGER PRIMARY KEY,
    firstname TEXT NOT NULL,
    lastname TEXT NOT NULL
);
