-- Users and statuses as the original program made them.

-- lockstep: up
CREATE TABLE User (
    Id INTEGER PRIMARY KEY AUTOINCREMENT,
    name,
    screenName,
    profileImageUrl,
    mbtype,
    city
);
CREATE TABLE Status (
    Id INTEGER PRIMARY KEY AUTOINCREMENT,
    source,
    createdAt date,
    "text" text,
    user integer REFERENCES User (Id)
);

-- lockstep: down
-- lockstep: allow loss of table Status
-- lockstep: allow loss of table User
DROP TABLE Status;
DROP TABLE User;
