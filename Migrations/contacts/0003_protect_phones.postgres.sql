-- Only the keyring of the dataset contacts reads telephone numbers, and they are found by their digits. Anyone who
-- opens the database can see how often a number occurs, but not the number. The CHECK would see cells, so the store
-- itself refuses an empty number. An identity never assigns a key twice.

-- lockstep: up
ALTER TABLE phone DROP CONSTRAINT phone_number_check;
ALTER TABLE phone ALTER COLUMN number TYPE bytea USING convert_to(number, 'UTF8');
-- lockstep: protect phone.number dataset=contacts index=digits histogram=accepted padding=32
-- What is not sealed lies open on a server, and not only for those who can open the database.
-- lockstep: plaintext Contacts.idx
-- lockstep: plaintext Contacts.firstname
-- lockstep: plaintext Contacts.lastname
-- lockstep: plaintext phone.id
-- lockstep: plaintext phone.contact
-- lockstep: plaintext phone.label

-- lockstep: down
-- lockstep: unprotect phone.number dataset=contacts
-- lockstep: plaintext phone.number
ALTER TABLE phone ALTER COLUMN number TYPE text USING convert_from(number, 'UTF8');
ALTER TABLE phone ADD CONSTRAINT phone_number_check CHECK (number <> '');
