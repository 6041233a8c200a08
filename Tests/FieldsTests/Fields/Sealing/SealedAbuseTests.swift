import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// What an attacker with the database key, and without the fields keyring, can try with the file's content.
struct SealedAbuseTests {
    let bench: SealedTableWorkbench

    init() throws { bench = try SealedTableWorkbench(rows: 8) }

    private func protect(_ mode: SealedColumn.Mode = .random) throws {
        let connection = try bench.open()
        try connection.protect("title", of: "film", keys: bench.keys, mode: mode)
        try connection.protect("note", of: "film", keys: bench.keys)
        try connection.run(
            script: """
                CREATE TABLE twin (id INTEGER PRIMARY KEY, title TEXT);
                INSERT INTO twin SELECT id, 'twin' FROM film;
                """)
        try connection.protect("title", of: "twin", keys: bench.keys)
    }

    /// Also drops the guards: they prevent accidents, not attacks.
    private func tamper(_ sql: String) throws {
        let connection = try bench.open([])
        try connection.with(rights: .engine) {
            for name in try connection.texts(
                "SELECT name FROM sqlite_schema WHERE type = 'trigger'")
            {
                try connection.execute("DROP TRIGGER \(name: name ?? "")")
            }
            try connection.run(script: sql)
        }
    }

    private func read(_ sql: String) throws {
        let connection = try bench.open()
        _ = try connection.query(SQL(verbatim: sql)) { row in try row[0] as String? }
    }

    @Test(
        "a cell that is moved, cut, spliced or made up does not open for anyone",
        arguments: [
            "UPDATE film SET title = (SELECT title FROM film WHERE id = 2) WHERE id = 1",
            "UPDATE film SET title = note WHERE id = 1",
            "UPDATE film SET title = (SELECT title FROM twin WHERE id = 1) WHERE id = 1",
            "UPDATE film SET id = 100 WHERE id = 1",
            "UPDATE film SET title = CAST(substr(title, 1, 29) || (SELECT substr(title, 30) FROM film WHERE id = 2) AS BLOB) WHERE id = 1",
            "UPDATE film SET title = CAST(title || x'00' AS BLOB) WHERE id = 1",
            "UPDATE film SET title = CAST(x'FC00000003' || randomblob(60) AS BLOB) WHERE id = 1",
        ])
    func forged(sql: String) throws {
        try protect()
        try tamper(sql)
        Refusal.expect(.cellForged) { try read("SELECT title FROM film_open ORDER BY id DESC") }
        Refusal.expect(.cellForged) {
            let connection = try bench.open()
            let title = try connection.opening("title", of: "film", key: "id")
            _ = try connection.query("SELECT \(title) FROM film") { row in try row[0] as String? }
        }
        Refusal.expect(.cellForged) {
            let connection = try bench.open()
            try connection.execute("UPDATE film_open SET year = 1")
        }
        Refusal.expect(.cellForged) {
            try bench.open().unprotect("title", of: "film", keys: bench.keys)
        }
        // Nothing else is lost.
        try read("SELECT note FROM film_open WHERE id BETWEEN 2 AND 8")
    }

    @Test(
        "plaintext, another format and another version are not cells of a sealed column",
        arguments: [
            ("UPDATE film SET title = 'planted' WHERE id = 1", LockstepError.Code.cellMalformed),
            ("UPDATE film SET title = 7 WHERE id = 1", .cellMalformed),
            ("UPDATE film SET title = x'' WHERE id = 1", .cellMalformed),
            ("UPDATE film SET title = zeroblob(80) WHERE id = 1", .cellMalformed),
            ("UPDATE film SET title = CAST(x'FA' || substr(title, 2) AS BLOB) WHERE id = 1", .cellMalformed),
            ("UPDATE film SET title = CAST(x'F8' || substr(title, 2) AS BLOB) WHERE id = 1", .cellMalformed),
            ("UPDATE film SET title = CAST(x'FC00000000' || substr(title, 6) AS BLOB) WHERE id = 1", .cellMalformed),
            ("UPDATE film SET title = CAST(x'FC00000008' || substr(title, 6) AS BLOB) WHERE id = 1", .keyUnavailable),
        ])
    func malformed(sql: String, code: LockstepError.Code) throws {
        try protect()
        try tamper(sql)
        Refusal.expect(code) { try read("SELECT title FROM film_open") }
    }

    @Test("a deterministic cell is valid in any row of its column, and in no other column")
    func deterministic() throws {
        try protect(.deterministic)
        try tamper("UPDATE film SET title = (SELECT title FROM film WHERE id = 2) WHERE id = 1")
        let connection = try bench.open()
        #expect(
            try connection.texts("SELECT title FROM film_open WHERE id < 3")
                == ["The Third Man", "The Third Man"])
        #expect(
            try connection.value("SELECT count(DISTINCT title) FROM film", as: Int.self) == 7)
        #expect(
            try connection.query(
                "SELECT \(connection.opening("title", of: "film")) FROM film GROUP BY title HAVING count(*) = 2"
            ) { row in try row[0] as String } == ["The Third Man"])
        try tamper("UPDATE film SET title = (SELECT title FROM twin WHERE id = 1) WHERE id = 1")
        Refusal.expect(.cellMalformed) { try read("SELECT title FROM film_open") }
        try tamper(
            "UPDATE film SET title = CAST(x'FA' || (SELECT substr(title, 2) FROM twin WHERE id = 1) AS BLOB) WHERE id = 1"
        )
        Refusal.expect(.cellForged) { try read("SELECT title FROM film_open") }
    }

    @Test(
        "what is recorded about columns cannot be changed: no column becomes one that takes plaintext",
        arguments: [
            "UPDATE lockstep_column SET state = 'migrating'", "UPDATE lockstep_column SET state = 'plaintext'",
            "UPDATE lockstep_column SET mode = 'deterministic'",
            "UPDATE lockstep_column SET name = CASE id WHEN 1 THEN 'note' ELSE 'title' END WHERE table_name = 'film'",
            "DELETE FROM lockstep_column WHERE id = 1", "UPDATE lockstep_dataset SET changes = changes - 1",
        ])
    func registry(sql: String) throws {
        try protect()
        try tamper(sql)
        Refusal.expect(.registryForged) { _ = try bench.open() }
    }

    @Test("an older state, put back as a whole, is noticed by anyone who has seen the newer one")
    func putBack() throws {
        do {
            let connection = try bench.open()
            #expect(throws: Stop.self) {
                try connection.protect("title", of: "film", keys: bench.keys, batch: 3) { _ in
                    throw Stop()
                }
            }
        }
        // Also from the time when the column took plaintext.
        try tamper(
            """
            CREATE TABLE kept_dataset AS SELECT * FROM lockstep_dataset;
            CREATE TABLE kept_column AS SELECT * FROM lockstep_column;
            """)
        let connection = try bench.open()
        try connection.protect("title", of: "film", keys: bench.keys)
        try connection.read { try #require(try $0.texts("SELECT title FROM film_open").count == 8) }
        try tamper(
            """
            UPDATE film SET title = 'planted' WHERE id = 1;
            REPLACE INTO lockstep_dataset SELECT * FROM kept_dataset;
            REPLACE INTO lockstep_column SELECT * FROM kept_column;
            """)
        Refusal.expect(.registryOlder) {
            try connection.read { _ = try $0.texts("SELECT title FROM film_open") }
        }
        Refusal.expect(.registryOlder) {
            try connection.write { try $0.execute("UPDATE film_open SET title = 'x'") }
        }
    }

    @Test("a column that is recorded as plaintext and holds cells reveals none of them")
    func unsealedWithCells() throws {
        try protect()
        let cell = try #require(try bench.open([]).value("SELECT title FROM film WHERE id = 1", as: [UInt8].self))
        let connection = try bench.open()
        try connection.unprotect("title", of: "film", keys: bench.keys)
        try connection.execute("UPDATE film SET title = ? WHERE id = 1", cell)
        Refusal.expect(.cellMalformed) {
            let title = try connection.opening("title", of: "film", key: "id")
            _ = try connection.query("SELECT \(title) FROM film") { row in try row[0] as String? }
        }
    }

    @Test(
        "a schema that an attacker wrote cannot open or seal anything",
        arguments: [
            "CREATE VIEW peek AS SELECT lockstep_open('film.title', title, id) AS t FROM film",
            "CREATE VIEW peek AS SELECT lockstep_open(0, title, id) AS t FROM film",
        ])
    func hostileSchema(sql: String) throws {
        try protect()
        try tamper(sql)
        Refusal.expect(.foreignSchema) { try read("SELECT t FROM peek") }
        try tamper(
            """
            DROP VIEW peek;
            """)
        try tamper(
            """
            CREATE TABLE loot (t);
            CREATE TRIGGER take AFTER UPDATE OF year ON film BEGIN
                INSERT INTO loot SELECT lockstep_open('film.title', NEW.title, NEW.id);
            END;
            """)
        Refusal.expect(.foreignSchema) {
            try bench.open().execute("UPDATE film_open SET year = 2 WHERE id = 1")
        }
        #expect(try bench.open([]).texts("SELECT t FROM loot") == [])
    }

    @Test("errors name the place, and never a value")
    func messages() throws {
        try protect()
        try tamper("UPDATE film SET title = 'planted secret' WHERE id = 1")
        do {
            try read("SELECT title FROM film_open WHERE title = 'sought secret'")
            Issue.record("it was read")
        } catch let error as LockstepError {
            #expect(error.message == "the cell of film.title in row 1 holds no sealed value")
            #expect(error.context == .init(table: "film", column: "title"))
            #expect(!"\(error) \(error.hint ?? "")".contains("secret"))
        }
    }
}
