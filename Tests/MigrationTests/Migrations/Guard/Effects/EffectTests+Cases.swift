@testable import Lockstep

extension EffectTests {
    static let cases: [Case] = [
        Case(
            name: "a rebuild by hand sets references to NULL",
            script: """
                CREATE TABLE profile_new (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
                INSERT INTO profile_new SELECT id, name FROM profile;
                DROP TABLE profile;
                ALTER TABLE profile_new RENAME TO profile;
                """, message: "3 values of item.profile become NULL: ON DELETE SET NULL",
            declaration: "allow changed values of column item.profile"),
        Case(
            name: "DELETE, then INSERT of defaults with the same ids",
            script: "DELETE FROM genre WHERE id > 1;\nINSERT INTO genre (name) VALUES ('Default A'), ('Default B');",
            message: "2 rows of genre were deleted and others inserted", declaration: "allow loss of table genre",
            code: .rowsLost),
        Case(
            name: "values that a statement may make NULL, and then their column goes",
            script: "UPDATE film SET genre = nullif(genre, '');\nALTER TABLE film DROP COLUMN genre;",
            message: "of film.genre", declaration: "allow loss of column film.genre"),
        Case(
            name: "a row goes while the keys change",
            script: "UPDATE genre SET id = id + 10;\nDELETE FROM genre WHERE id = 11;",
            message: "genre went from 3 rows to 2", declaration: "allow loss of table genre", code: .rowsLost),
        Case(
            name: "a copy through a JOIN",
            script: """
                CREATE TABLE film2 (id INTEGER PRIMARY KEY, title TEXT, genre TEXT, genre_id INTEGER);
                INSERT INTO film2 (title, genre, genre_id) SELECT f.title, f.genre, g.id FROM film f
                JOIN genre g ON g.name = f.genre;
                DROP TABLE film;
                ALTER TABLE film2 RENAME TO film;
                """, message: "of film.title",
            declaration: """
                allow loss of table film
                -- lockstep: allow changed values of column film.title
                -- lockstep: allow changed values of column film.genre
                """),
        Case(
            name: "a copy through a JOIN that doubles the last row",
            script: """
                CREATE TABLE film2 (id INTEGER PRIMARY KEY, title TEXT, genre TEXT);
                INSERT INTO film2 SELECT * FROM film;
                INSERT INTO film2 (title, genre) SELECT title, genre FROM film WHERE id = 2;
                DROP TABLE film;
                ALTER TABLE film2 RENAME TO film;
                """, message: "1 row of film stands there again", declaration: "allow loss of table film",
            code: .rowsLost),
        Case(
            name: "a copy by position",
            script: """
                CREATE TABLE new (id INTEGER PRIMARY KEY, genre TEXT, title TEXT);
                INSERT INTO new SELECT * FROM film;
                DROP TABLE film;
                ALTER TABLE new RENAME TO film;
                """, message: "of film.title",
            declaration: """
                allow changed values of column film.title
                -- lockstep: allow changed values of column film.genre
                """),
        Case(
            name: "a copy by position of a table without a key",
            script: """
                CREATE TABLE new (b TEXT, a TEXT);
                INSERT INTO new SELECT * FROM pair;
                DROP TABLE pair;
                ALTER TABLE new RENAME TO pair;
                """, message: "of pair", declaration: "allow loss of table pair", code: .rowsLost),
        Case(
            name: "a column becomes a generated one",
            script: """
                -- lockstep: rebuild table genre
                CREATE TABLE genre (id INTEGER PRIMARY KEY, name TEXT AS ('n' || id));
                """, message: "3 values of genre.name", declaration: "allow changed values of column genre.name"),
        Case(
            name: "an UPDATE fires a trigger that changes another table",
            setup: """
                CREATE TRIGGER t AFTER UPDATE ON genre BEGIN UPDATE item SET note = 'g' || new.id WHERE id = new.id; END;
                """, script: "UPDATE genre SET name = upper(name) WHERE id = 1;",
            message: "1 value of item.note is another now: the trigger t",
            declaration: "allow changed values of column item.note"),
        Case(
            name: "an INSERT fires a trigger that deletes",
            setup: "CREATE TRIGGER t AFTER INSERT ON genre BEGIN DELETE FROM pair WHERE a = 'x'; END;",
            script: "INSERT INTO genre (name) VALUES ('noir');", message: "pair went from 2 rows to 1",
            declaration: "allow loss of table pair", code: .rowsLost),
        Case(
            name: "ON UPDATE of a key",
            setup: """
                CREATE TABLE part (id INTEGER PRIMARY KEY, up INTEGER REFERENCES genre ON UPDATE SET NULL);
                INSERT INTO part VALUES (1, NULL), (2, 1);
                """, script: "UPDATE genre SET id = 9 WHERE id = 1;",
            message: "1 value of part.up becomes NULL: ON UPDATE SET NULL",
            declaration: "allow changed values of column part.up"),
        Case(
            name: "REPLACE of a row with another key",
            setup: "CREATE UNIQUE INDEX j ON film (title);",
            script: "INSERT OR REPLACE INTO film (id, title) VALUES (77, 'A');",
            message: "1 row of film was deleted and others inserted", declaration: "allow loss of table film",
            code: .rowsLost),
        Case(
            name: "a row of the same key is replaced",
            script: "INSERT OR REPLACE INTO film (id, title) VALUES (1, 'A');",
            message: "1 value of film.genre becomes NULL",
            declaration: "allow changed values of column film.genre"),
        Case(
            name: "ON CONFLICT REPLACE of a new table",
            script: """
                CREATE TABLE new (id INTEGER PRIMARY KEY, name TEXT UNIQUE ON CONFLICT REPLACE);
                INSERT INTO new SELECT * FROM genre;
                DROP TABLE genre;
                ALTER TABLE new RENAME TO genre;
                """, message: "genre went from 3 rows to 2", declaration: "allow loss of table genre", code: .rowsLost),
        Case(
            name: "an UPDATE finds nothing and writes NULL",
            script: "UPDATE film SET genre = (SELECT id FROM genre WHERE name = film.genre AND name <> 'comedy');",
            message: "1 value of film.genre becomes NULL", declaration: "allow changed values of column film.genre"),
        Case(
            name: "DELETE and put back, without some",
            script: """
                CREATE TEMP TABLE s AS SELECT * FROM genre WHERE name = 'drama';
                DELETE FROM genre;
                INSERT INTO genre SELECT * FROM s;
                """, message: "genre went from 3 rows to 2", declaration: "allow loss of table genre", code: .rowsLost),
        Case(
            name: "DELETE, then INSERT of defaults with the same ids, then an UPDATE of their only column",
            script: """
                DELETE FROM genre;
                INSERT INTO genre (name) VALUES ('a'), ('b'), ('c');
                UPDATE genre SET name = upper(name);
                """, message: "3 rows of genre were deleted and others inserted",
            declaration: "allow loss of table genre", code: .rowsLost),
        Case(
            name: "an UPDATE, then DELETE and INSERT with the id of the last row",
            script: """
                UPDATE genre SET name = upper(name);
                DELETE FROM genre WHERE id = 3;
                INSERT INTO genre (name) VALUES ('new');
                """, message: "1 row of genre was deleted and others inserted",
            declaration: "allow loss of table genre", code: .rowsLost),
        Case(
            name: "a temporary table of the same name is changed, and a trigger changes the table",
            setup: "CREATE TRIGGER t AFTER UPDATE ON film BEGIN UPDATE genre SET name = 'x' WHERE id = 1; END;",
            script: """
                CREATE TEMP TABLE genre (id INTEGER, name TEXT);
                UPDATE genre SET name = 'y';
                UPDATE film SET title = title || '!';
                DROP TABLE temp.genre;
                """, message: "1 value of genre.name is another now: the trigger t",
            declaration: "allow changed values of column genre.name"),
        Case(
            name: "keys that are one in a table where case does not count",
            setup: """
                CREATE TABLE person (email TEXT PRIMARY KEY, note TEXT);
                INSERT INTO person VALUES ('A@x', 'one'), ('a@x', 'one'), ('b@x', 'one');
                """,
            script: """
                -- lockstep: allow changed values of column person.email
                CREATE TABLE new (email TEXT PRIMARY KEY COLLATE NOCASE, note TEXT);
                INSERT OR IGNORE INTO new SELECT * FROM person;
                DROP TABLE person;
                ALTER TABLE new RENAME TO person;
                """, message: "person went from 3 rows to 2", declaration: "allow loss of table person",
            code: .rowsLost),
        Case(
            name: "a table may lose rows, and a copy by position exchanges the columns of the others",
            script: """
                -- lockstep: allow loss of table film
                CREATE TABLE new (id INTEGER PRIMARY KEY, genre TEXT, title TEXT);
                INSERT INTO new SELECT * FROM film WHERE id > 1;
                DROP TABLE film;
                ALTER TABLE new RENAME TO film;
                """, message: "of film.title",
            declaration: """
                allow changed values of column film.title
                -- lockstep: allow changed values of column film.genre
                """),
        Case(
            name: "keys move, one of two equal rows goes, and a fill of another table has a column of the table's name",
            setup: """
                CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT);
                INSERT INTO tag VALUES (1, 'x'), (2, 'x');
                CREATE TABLE note (id INTEGER PRIMARY KEY, tag INTEGER);
                """,
            script: """
                UPDATE tag SET id = id + 100;
                DELETE FROM tag WHERE id = 102;
                CREATE TABLE other (id INTEGER PRIMARY KEY, tag INTEGER);
                INSERT INTO other SELECT id, tag FROM note;
                """, message: "tag went from 2 rows to 1", declaration: "allow loss of table tag", code: .rowsLost),
        Case(
            name: "keys move, one of two equal rows goes, and another row comes",
            setup: "CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO tag VALUES (1, 'x'), (2, 'x');",
            script: """
                UPDATE tag SET id = id + 100;
                DELETE FROM tag WHERE id = 102;
                INSERT INTO tag VALUES (7, 'new');
                """, message: "1 row of tag", declaration: "allow loss of table tag", code: .rowsLost),
        Case(
            name: "keys move, one of two equal rows goes, and another one is copied",
            setup: """
                CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT);
                CREATE TABLE kept (id INTEGER PRIMARY KEY, name TEXT);
                INSERT INTO tag VALUES (1, 'x'), (2, 'x'), (3, 'y');
                """,
            script: """
                INSERT INTO kept SELECT id, name FROM tag WHERE name = 'y';
                UPDATE tag SET id = id + 100;
                DELETE FROM tag WHERE id = 102;
                """, message: "tag went from 3 rows to 2", declaration: "allow loss of table tag", code: .rowsLost),
        Case(
            name: "one of two equal rows without a key goes, and another row comes",
            setup: "CREATE TABLE line (text TEXT); INSERT INTO line VALUES ('x'), ('x'), ('y');",
            script: "DELETE FROM line WHERE rowid = 1; INSERT INTO line VALUES ('new');", message: "1 row of line",
            declaration: "allow loss of table line", code: .rowsLost),
        Case(
            name: "keys move, and a trigger gives a row a value that another row has",
            setup: """
                CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT, shelf TEXT);
                INSERT INTO tag VALUES (1, 'x', 'a'), (2, 'x', 'b'), (3, 'y', 'c');
                CREATE TRIGGER t AFTER UPDATE ON tag WHEN old.id = 1 BEGIN UPDATE tag SET name = 'y' WHERE id = new.id; END;
                """, script: "UPDATE tag SET id = id + 100;", message: "1 value of tag.name is another now",
            declaration: "allow changed values of column tag.name"),
        Case(
            name: "rows of full-text content get other row ids",
            setup: """
                CREATE TABLE doc (body TEXT);
                INSERT INTO doc VALUES ('gone'), ('moon'), ('sun');
                DELETE FROM doc WHERE body = 'gone';
                CREATE VIRTUAL TABLE search USING fts5 (body, content = doc);
                INSERT INTO search (search) VALUES ('rebuild');
                """,
            script: """
                CREATE TABLE new (body TEXT);
                INSERT INTO new SELECT body FROM doc;
                DROP TABLE doc;
                ALTER TABLE new RENAME TO doc;
                """, message: "rows of doc have other row ids, and search finds other rows",
            declaration: "allow changed values of column doc.rowid"),
    ]
}
