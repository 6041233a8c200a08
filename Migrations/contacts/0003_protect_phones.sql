-- Telephone numbers are readable only to who has the keyring of the dataset contacts, and are found by their digits.
-- The CHECK would see cells; the store refuses an empty number itself.

-- lockstep: up
-- lockstep: rebuild table phone
CREATE TABLE phone (
    id INTEGER PRIMARY KEY,
    contact INTEGER NOT NULL REFERENCES Contacts (idx) ON DELETE CASCADE,
    label TEXT NOT NULL DEFAULT 'phone',
    number TEXT NOT NULL
);
-- lockstep: protect phone.number dataset=contacts index=digits padding=32

-- lockstep: down
-- lockstep: unprotect phone.number dataset=contacts
-- lockstep: rebuild table phone
CREATE TABLE phone (
    id INTEGER PRIMARY KEY,
    contact INTEGER NOT NULL REFERENCES Contacts (idx) ON DELETE CASCADE,
    label TEXT NOT NULL DEFAULT 'phone',
    number TEXT NOT NULL CHECK (number <> '')
);
