-- lockstep: up
-- The second release searches: a full-text index over the texts, which triggers keep in step.
CREATE VIRTUAL TABLE note_text USING fts5(text, content = note, content_rowid = id);
INSERT INTO note_text(note_text) VALUES ('rebuild');
CREATE TRIGGER note_added AFTER INSERT ON note BEGIN
    INSERT INTO note_text(rowid, text) VALUES (new.id, new.text);
END;
CREATE TRIGGER note_changed AFTER UPDATE OF text ON note BEGIN
    INSERT INTO note_text(note_text, rowid, text) VALUES ('delete', old.id, old.text);
    INSERT INTO note_text(rowid, text) VALUES (new.id, new.text);
END;
CREATE TRIGGER note_removed AFTER DELETE ON note BEGIN
    INSERT INTO note_text(note_text, rowid, text) VALUES ('delete', old.id, old.text);
END;
-- lockstep: down
DROP TRIGGER note_added;
DROP TRIGGER note_changed;
DROP TRIGGER note_removed;
DROP TABLE note_text;
