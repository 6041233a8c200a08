import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// A program's own triggers, CHECKs, indexes and generated columns on tables with sealed columns work, and see cells.
struct OwnTriggerTests {
    private let bench: SealedTableWorkbench

    init() throws { bench = try SealedTableWorkbench() }

    @Test("triggers run with each row that is written through the view, and see cells only") func triggers() throws {
        do { _ = try bench.sealed() }
        let plain = try bench.open([])
        try plain.run(
            script: """
                CREATE TABLE trail (event TEXT, id INTEGER, kind TEXT, cell);
                CREATE TRIGGER inserted AFTER INSERT ON film BEGIN
                    INSERT INTO trail VALUES ('insert', NEW.id, typeof(NEW.title), NEW.title);
                END;
                CREATE TRIGGER updated AFTER UPDATE OF year ON film WHEN NEW.year > 1950 BEGIN
                    INSERT INTO trail VALUES ('update', NEW.id, typeof(NEW.title), NEW.title);
                END;
                CREATE TRIGGER deleted BEFORE DELETE ON film BEGIN
                    INSERT INTO trail VALUES ('delete', OLD.id, typeof(OLD.title), OLD.title);
                END;
                CREATE TRIGGER kept BEFORE DELETE ON film WHEN OLD.year = 1900 BEGIN
                    SELECT RAISE(ABORT, 'films of 1900 stay');
                END;
                """)
        let connection = try bench.open()
        try connection.write { connection in
            try connection.execute("INSERT INTO film_open (id, title, year) VALUES (100, 'Laura', 1944)")
            try connection.execute("UPDATE film_open SET year = 1951 WHERE id = 100")
            try connection.execute("UPDATE film_open SET year = 1949 WHERE id = 2")
            try connection.execute("DELETE FROM film_open WHERE id = 100")
        }
        #expect(
            try connection.texts("SELECT event || ' ' || id || ' ' || kind FROM trail") == [
                "insert 100 blob", "update 100 blob", "delete 100 blob",
            ])
        #expect(
            try connection.value("SELECT count(DISTINCT cell) FROM trail", as: Int.self) == 1)
        try connection.execute("UPDATE film_open SET year = 1900 WHERE id = 1")
        Refusal.expect(.constraint) {
            try connection.execute("DELETE FROM film_open WHERE id = 1")
        }
        let pages = try DecryptedPages(bench.path, bench.databaseKey())
        #expect(!pages.contain(Array("Laura".utf8)))
        // They do not need the keyring.
        try plain.execute("UPDATE film SET year = 1960 WHERE id = 3")
        #expect(
            try plain.texts("SELECT kind FROM trail ORDER BY rowid DESC LIMIT 1") == ["blob"])
    }

    @Test("CHECKs, generated columns, indexes and views of other columns keep working") func constraints() throws {
        let connection = try bench.open()
        try connection.run(
            script: """
                CREATE TABLE visit (id INTEGER PRIMARY KEY, name TEXT, year INTEGER CHECK (year > 1800),
                    decade INTEGER AS (year / 10 * 10) STORED, UNIQUE (year));
                CREATE INDEX by_decade ON visit (decade) WHERE decade > 1900;
                CREATE VIEW early AS SELECT id, decade FROM visit WHERE year < 1950;
                INSERT INTO visit (id, name, year) VALUES (1, 'Ilsa', 1941);
                """)
        try connection.protect("name", of: "visit", keys: bench.keys)
        try connection.execute("INSERT INTO visit_open (id, name, year) VALUES (2, 'Rick', 1942)")
        for year in [1700, 1942] {
            Refusal.expect(.constraint) {
                try connection.execute("INSERT INTO visit_open (name, year) VALUES ('Sam', ?)", year)
            }
        }
        #expect(
            try connection.query("SELECT decade FROM early ORDER BY id") { try $0[0] as Int64 }
                == [1940, 1940])
        #expect(try connection.texts("SELECT name FROM visit_open ORDER BY id") == ["Ilsa", "Rick"])
    }

    @Test("a CHECK on the sealed column sees the cell, once there is one")
    func checkOnCell() throws {
        let work = try SchemaOperator()
        try work.addToFilm("CHECK (typeof(title) = 'blob' AND length(title) > 40)")
        let connection = try work.bench.open()
        try connection.execute("INSERT INTO film_open (id, title) VALUES (100, 'x')")
        #expect(try connection.texts("SELECT title FROM film_open WHERE id = 100") == ["x"])
        Refusal.expect(.constraint) {
            try work.bench.open([]).execute("INSERT INTO film (id, title) VALUES (101, x'00')")
        }
    }
}
