-- Statuses that contain a word, from a full-text index kept current by triggers.

-- lockstep: up
CREATE VIRTUAL TABLE Status_search USING fts5 ("text", content = 'Status', content_rowid = 'Id');
INSERT INTO Status_search (Status_search) VALUES ('rebuild');

CREATE TRIGGER Status_search_insert AFTER INSERT ON Status BEGIN
    INSERT INTO Status_search (rowid, "text") VALUES (new.Id, new."text");
END;
CREATE TRIGGER Status_search_delete AFTER DELETE ON Status BEGIN
    INSERT INTO Status_search (Status_search, rowid, "text") VALUES ('delete', old.Id, old."text");
END;
CREATE TRIGGER Status_search_update AFTER UPDATE OF "text" ON Status BEGIN
    INSERT INTO Status_search (Status_search, rowid, "text") VALUES ('delete', old.Id, old."text");
    INSERT INTO Status_search (rowid, "text") VALUES (new.Id, new."text");
END;

-- lockstep: down
DROP TRIGGER Status_search_update;
DROP TRIGGER Status_search_delete;
DROP TRIGGER Status_search_insert;
DROP TABLE Status_search;
