-- Users and statuses as the original program made them.

-- lockstep: up
CREATE TABLE User (
    Id integer PRIMARY KEY AUTOINCREMENT,
    name text,
    screenName text,
    profileImageUrl text,
    mbtype text,
    city text
);
CREATE TABLE Status (
    Id integer PRIMARY KEY AUTOINCREMENT,
    source text,
    createdAt date,
    "text" text,
    user integer REFERENCES User (Id)
);

-- lockstep: down
-- lockstep: allow loss of table Status
-- lockstep: allow loss of table User
DROP TABLE Status;
DROP TABLE User;
