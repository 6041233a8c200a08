-- Only the keyring of the dataset contacts reads telephone numbers, and they are found by their digits. Anyone who
-- opens the database can see how often a number occurs, but not the number. The CHECK would see cells, so the store
-- itself refuses an empty number. A key is never assigned twice: a program that still has a deleted contact cannot
-- change another's row with it.

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
