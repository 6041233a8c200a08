-- Full-text search over titles and texts, kept current by triggers and encrypted like everything else.

-- lockstep: up
CREATE VIRTUAL TABLE records_search USING fts5 (title, txt, content = 'records', content_rowid = 'id');
INSERT INTO records_search (records_search) VALUES ('rebuild');

CREATE TRIGGER records_search_insert AFTER INSERT ON records BEGIN
    INSERT INTO records_search (rowid, title, txt) VALUES (new.id, new.title, new.txt);
END;
CREATE TRIGGER records_search_delete AFTER DELETE ON records BEGIN
    INSERT INTO records_search (records_search, rowid, title, txt)
    VALUES ('delete', old.id, old.title, old.txt);
END;
CREATE TRIGGER records_search_update AFTER UPDATE OF title, txt ON records BEGIN
    INSERT INTO records_search (records_search, rowid, title, txt)
    VALUES ('delete', old.id, old.title, old.txt);
    INSERT INTO records_search (rowid, title, txt) VALUES (new.id, new.title, new.txt);
END;

-- lockstep: down
DROP TRIGGER records_search_update;
DROP TRIGGER records_search_delete;
DROP TRIGGER records_search_insert;
DROP TABLE records_search;
