import Testing

@testable import EngineTestSupport
@testable import Lockstep

struct OpenViewTests {
    let bench: SealedTableWorkbench

    init() throws { bench = try SealedTableWorkbench() }

    @Test("a sealed column reads as before through the view, and as cells through the table") func reading() throws {
        let connection = try bench.sealed()
        #expect(try connection.texts("SELECT title FROM film_open ORDER BY id") == SealedTableWorkbench.films)
        #expect(
            try connection.value(
                "SELECT count(*) FROM film WHERE typeof(title) = 'blob' AND hex(substr(title, 1, 1)) = 'FC'",
                as: Int.self) == 5)
        #expect(
            try connection.query("SELECT \(connection.opening("title", of: "film", key: "id")) FROM film WHERE id = 2")
            { row in try row[0] as String } == ["The Third Man"])
    }

    @Test("what is written through the view is sealed to its row")
    func writing() throws {
        let connection = try bench.sealed()
        try connection.execute(
            "INSERT INTO film_open (title, year) VALUES (?, ?)", "Vertigo", 1958)
        try connection.execute("INSERT INTO film_open (id, title) VALUES (40, 'Alien')")
        try connection.execute("INSERT INTO film_open (title) VALUES ('Brazil')")
        try connection.execute("INSERT INTO film_open (id) VALUES (50)")
        try connection.execute("UPDATE film_open SET title = 'Laura' WHERE id = 1")
        try connection.execute("UPDATE film_open SET id = 90 WHERE title = 'Rear Window'")
        try connection.execute("DELETE FROM film_open WHERE title = 'Metropolis'")
        #expect(
            try connection.query("SELECT id, title FROM film_open ORDER BY id") { row in
                "\(try row[0] as Int) \(try row[1] as String)"
            } == [
                "1 Laura", "2 The Third Man", "4 It Happened One Night", "6 Vertigo", "40 Alien",
                "41 Brazil", "50 untitled", "90 Rear Window",
            ])
        #expect(try connection.value("SELECT count(*) FROM film WHERE typeof(title) <> 'blob'", as: Int.self) == 0)
    }

    @Test(
        "an unchanged cell stays as it is; one whose row gets another key is sealed again")
    func unchanged() throws {
        let connection = try bench.sealed()
        func cell(_ id: Int) throws -> [UInt8]? {
            try connection.value("SELECT title FROM film WHERE id = ?", id)
        }
        let first = try cell(1)
        try connection.execute("UPDATE film_open SET year = 2000, title = title WHERE id = 1")
        #expect(try cell(1) == first)
        try connection.execute("UPDATE film_open SET id = 11 WHERE id = 1")
        #expect(try cell(11) != first)
        #expect(try connection.texts("SELECT title FROM film_open WHERE id = 11") == ["Casablanca"])
    }

    @Test("every storage class comes back as it was", arguments: [0, 16])
    func storageClasses(padding: Int) throws {
        let connection = try bench.open()
        try connection.run(script: "DELETE FROM film; CREATE TABLE v (id INTEGER PRIMARY KEY, x)")
        let values: [Value] = [
            .null, .integer(.min), .integer(-1), .real(-0.0), .real(.infinity), .text(""), .text("a\u{0}b"),
            .text("👩‍👩‍👧 שלום"), .blob([]), .blob([0xF9]), .blob([UInt8](repeating: 0xF9, count: 40)),
        ]
        for (id, value) in values.enumerated() {
            let insert = try connection.prepare("INSERT INTO v VALUES (?, ?)")
            try insert.bind(values: [.integer(Int64(id)), value])
            try insert.run()
        }
        try connection.protect("x", of: "v", keys: bench.keys, padding: padding == 0 ? .none : .multiple(of: padding))
        func read() throws -> [Value] {
            try connection.query("SELECT x FROM v_open ORDER BY id") { row in try row[0] as Value }
        }
        #expect(try read() == values)
        // Also once more, through the view.
        try connection.execute("UPDATE v_open SET id = id + 100")
        #expect(try read() == values)
        try connection.unprotect("x", of: "v", keys: bench.keys)
        #expect(try connection.query("SELECT x FROM v ORDER BY id") { row in try row[0] as Value } == values)
    }

    @Test("without the fields keyring there are cells, no view, and an error that says why") func withoutKeys() throws {
        do { _ = try bench.sealed() }
        let connection = try bench.open([])
        #expect(try connection.value("SELECT typeof(title) FROM film WHERE id = 1", as: String.self) == "blob")
        for sql in ["SELECT title FROM film_open", "SELECT lockstep_open('film.title', title, id) FROM film"] {
            do {
                _ = try connection.texts(sql)
                Issue.record("\(sql) was run")
            } catch let error as LockstepError {
                #expect("\(error) \(error.hint ?? "")".contains("fields keyring"), "\(error)")
            }
        }
        Refusal.expect(.constraint) {
            try connection.execute("INSERT INTO film (title) VALUES ('plain')")
        }
        Refusal.expect(.constraint) {
            try connection.execute("UPDATE film SET title = 'plain' WHERE id = 1")
        }
        Refusal.expect(.constraint) {
            try connection.execute("UPDATE film SET id = 70 WHERE id = 1")
        }
        // Unsealed columns can be used.
        try connection.execute("UPDATE film SET year = 1 WHERE id = 1")
        try connection.execute("DELETE FROM film WHERE id = 2")
    }

    @Test("keys of several columns and texts are bound as they are stored")
    func compoundKeys() throws {
        let connection = try bench.open()
        try connection.run(
            script: """
                CREATE TABLE pair (a TEXT NOT NULL, b INTEGER NOT NULL, x, PRIMARY KEY (b, a)) WITHOUT ROWID;
                INSERT INTO pair VALUES ('one', 1, 'secret 1'), ('two', 1, 'secret 2');
                CREATE TABLE code (c TEXT NOT NULL PRIMARY KEY, x);
                INSERT INTO code VALUES ('k', 'secret 3');
                """)
        try connection.protect("x", of: "pair", keys: bench.keys)
        try connection.protect("x", of: "code", keys: bench.keys)
        try connection.execute("INSERT INTO pair_open VALUES ('three', 3, 'secret 4')")
        try connection.execute("INSERT INTO code_open VALUES ('m', 'secret 5')")
        try connection.execute("UPDATE code_open SET c = 'n' WHERE c = 'm'")
        #expect(try connection.texts("SELECT x FROM pair_open ORDER BY b, a") == ["secret 1", "secret 2", "secret 4"])
        #expect(try connection.texts("SELECT x FROM code_open ORDER BY c") == ["secret 3", "secret 5"])
        Refusal.expect(.misuse) {
            try connection.execute("INSERT INTO pair_open VALUES (7, 3, 'secret 6')")
        }
        Refusal.expect(.misuse) {
            try connection.execute("INSERT INTO pair_open VALUES ('x', '3', 'secret 6')")
        }
    }

    @Test("a store's readers and writer open what was sealed, and notice what another one seals") func stores() throws {
        var options = StoreOptions()
        options.connection.fieldKeys = [bench.keys]
        options.connection.mayBeUnsealed = true
        let store = try Store.open(bench.path, rawKey: bench.databaseKey(), options: options)
        let other = try bench.open()
        let before = try store.blocking.read { try $0.texts("SELECT title FROM film WHERE id = 1") }
        #expect(before == ["Casablanca"])
        try other.protect("title", of: "film", keys: bench.keys)
        #expect(try store.blocking.read { try $0.texts("SELECT title FROM film_open WHERE id = 1") } == before)
        try store.blocking.write {
            try $0.execute("UPDATE film_open SET title = 'Gilda' WHERE id = 1")
        }
        #expect(try other.texts("SELECT title FROM film_open WHERE id = 1") == ["Gilda"])
        // A column that is not sealed changes the view, too.
        try other.execute("ALTER TABLE film ADD COLUMN length INTEGER DEFAULT 90")
        #expect(
            try store.blocking.read {
                try $0.value("SELECT max(length) FROM film_open", as: Int.self)
            } == 90
        )
        try other.unprotect("title", of: "film", keys: bench.keys)
        #expect(try store.blocking.read { try $0.texts("SELECT title FROM film WHERE id = 1") } == ["Gilda"])
        Refusal.expect(.sqlFailed) {
            try store.blocking.read { _ = try $0.texts("SELECT 1 FROM film_open") }
        }
        try store.blocking.close()
    }

    @Test("rows written through the view are counted like rows of a table")
    func changes() throws {
        let bench = try SealedTableWorkbench(rows: 5)
        let connection = try bench.sealed()
        try connection.run(script: "CREATE TABLE other (id INTEGER PRIMARY KEY, name TEXT)")
        func changes(_ sql: SQL) throws -> Int {
            try connection.execute(sql)
            return connection.changes
        }
        #expect(try changes("INSERT INTO film_open (title) VALUES ('Laura')") == 1)
        #expect(try changes("INSERT INTO film_open (title) VALUES ('Gilda'), ('Rebecca')") == 2)
        #expect(try changes("UPDATE film_open SET title = 'Notorious' WHERE id > 5") == 3)
        // A query and a transaction leave the number as it is.
        #expect(try connection.value("SELECT count(*) FROM film_open", as: Int.self) == 8)
        #expect(connection.changes == 3)
        #expect(try changes("UPDATE film_open SET title = '' WHERE id = 100") == 0)
        #expect(try changes("DELETE FROM film_open WHERE id > 6") == 2)
        #expect(try changes("INSERT INTO other VALUES (1, 'x')") == 1)
        #expect(try changes("UPDATE other SET name = 'y' WHERE id = 2") == 0)
        #expect(try changes("INSERT OR IGNORE INTO film_open (id, title) VALUES (1, 'twice')") == 0)
        #expect(try changes("DELETE FROM film_open WHERE id = 6") == 1)
        Refusal.expect(.constraint) {
            try connection.execute("INSERT INTO film_open (id, title) VALUES (45, 'a'), (1, 'b')")
        }
        #expect(try changes("UPDATE other SET name = 'z'") == 1)
        let delete = try connection.prepare("DELETE FROM film_open WHERE id = ?")
        for (id, rows) in [(1, 1), (1, 0), (2, 1)] {
            try delete.run(id)
            #expect(connection.changes == rows)
        }
    }

    @Test("a trigger of the program that writes the view does not change the statement's own number")
    func changesOfTriggers() throws {
        let bench = try SealedTableWorkbench(rows: 5)
        let connection = try bench.sealed()
        try connection.run(
            script: """
                CREATE TEMP TABLE note (text);
                CREATE TEMP TRIGGER note_written AFTER INSERT ON note
                BEGIN DELETE FROM film_open WHERE id < 4; END
                """)
        try connection.execute("INSERT INTO note VALUES ('x')")
        #expect(connection.changes == 1)
        #expect(try connection.value("SELECT count(*) FROM film", as: Int.self) == 2)
    }

    @Test(
        "the number of a row inserted through the view is known, and that of the next one elsewhere"
    )
    func insertedRow() throws {
        let bench = try SealedTableWorkbench(rows: 5)
        let connection = try bench.sealed()
        try connection.execute("CREATE TABLE other (id INTEGER PRIMARY KEY, name TEXT)")
        try connection.execute("INSERT INTO film_open (title) VALUES ('Laura')")
        #expect(connection.lastInsertedRowID == 6)
        #expect(try connection.value("SELECT last_insert_rowid()") == 6)
        try connection.execute("INSERT INTO film_open (id, title) VALUES (40, 'Gilda'), (50, 'Notorious')")
        #expect(connection.lastInsertedRowID == 50)
        try connection.execute("INSERT INTO other VALUES (3, 'x')")
        #expect(connection.lastInsertedRowID == 3)
        try connection.execute("UPDATE film_open SET title = 'Rebecca' WHERE id = 6")
        #expect(connection.lastInsertedRowID == 3)
        Refusal.expect(.constraint) {
            try connection.execute("INSERT INTO film_open (id, title) VALUES (40, 'twice')")
        }
        #expect(connection.lastInsertedRowID == 3)
        // A row that was inserted before the failed one is undone with it.
        Refusal.expect(.constraint) {
            try connection.execute("INSERT INTO film_open (id, title) VALUES (45, 'a'), (40, 'b')")
        }
        #expect(try connection.value("SELECT count(*) FROM film WHERE id = 45", as: Int.self) == 0)
        try connection.execute("UPDATE other SET name = 'y'")
        #expect(connection.lastInsertedRowID == 3)
        let insert = try connection.prepare("INSERT INTO film_open (title) VALUES (?)")
        for number in 1...3 {
            try insert.run("film \(number)")
            #expect(connection.lastInsertedRowID == Int64(50 + number))
        }
    }

    @Test("a table is readable under its own name, the view's, or not at all")
    func readable() throws {
        let bench = try SealedTableWorkbench(rows: 5)
        let connection = try bench.open()
        let keyless = try bench.open([])
        #expect(try keyless.readable("film").text == "\"film\"")
        #expect(try connection.readable("FILM").text == "\"FILM\"")
        try connection.protect("title", of: "film", keys: bench.keys)
        #expect(try connection.readable("film").text == "\"film_open\"")
        Refusal.expect(.keyUnavailable) { _ = try keyless.readable("film") }
        // SQLite takes names in any case for the same.
        for (column, table) in [("title", "film"), ("TITLE", "Film")] {
            let isSealed = try connection.isSealed(column, of: table)
            #expect(isSealed)
            Refusal.expect(.keyUnavailable) { _ = try keyless.isSealed(column, of: table) }
        }
        #expect(try keyless.readable("other").text == "\"other\"")
        try connection.unprotect("title", of: "film", keys: bench.keys)
        #expect(try connection.readable("film").text == "\"film\"")
        #expect(try keyless.readable("film").text == "\"film\"")
    }
}
