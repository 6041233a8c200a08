import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// The changes that a store reports of its commits.
@Suite("Changes of a store", .timeLimit(.minutes(20)))
struct ChangesTests: NumberStore {
    let scratch: DatabaseScratch

    init() throws {
        scratch = try Self.makeScratch()
        try prepareTable(
            """
            CREATE TABLE p (id INTEGER PRIMARY KEY, n INTEGER UNIQUE, b BLOB);
            CREATE TABLE c (id INTEGER PRIMARY KEY, p REFERENCES p (id) ON DELETE CASCADE);
            CREATE TABLE w (k TEXT PRIMARY KEY, v) WITHOUT ROWID;
            CREATE TABLE log (id INTEGER PRIMARY KEY, n);
            CREATE TRIGGER logging AFTER UPDATE OF n ON p BEGIN
                INSERT INTO log (n) VALUES (new.n);
            END;
            INSERT INTO p VALUES (1, 10, x'00'), (2, 20, x'00'), (3, 30, x'00');
            INSERT INTO c VALUES (5, 1), (6, 1), (7, 2);
            INSERT INTO w VALUES ('x', 1);
            INSERT INTO t VALUES (1), (2);
            """)
    }

    /// The reported changes of one write.
    private func changes(of script: String) async throws -> DatabaseChanges? {
        let store = try openStore()
        var iterator = store.changes.makeAsyncIterator()
        try store.writeHere { try $0.run(script: script) }
        try await store.close()
        return await iterator.next()
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let script: String
        let tables: [String: DatabaseChanges.Rows]
        var schemaChanged = false
        var testDescription: String { script }

        init(
            _ script: String, _ tables: [String: DatabaseChanges.Rows], schema: Bool = false
        ) {
            self.script = script
            self.tables = tables
            schemaChanged = schema
        }
    }

    static let cases = [
        Case("INSERT INTO p VALUES (9, 90, NULL)", ["p": .listed([9])]),
        Case("INSERT INTO P (n) VALUES (91), (92)", ["p": .listed([4, 5])]),
        Case("UPDATE p SET b = NULL WHERE id IN (1, 3)", ["p": .listed([1, 3])]),
        Case("DELETE FROM c WHERE id = 7", ["c": .listed([7])]), Case("UPDATE c SET id = 8 WHERE id = 7", ["c": .any]),
        Case("UPDATE p SET n = 21 WHERE id = 2", ["p": .listed([2]), "log": .listed([1])]),
        Case("DELETE FROM p WHERE id = 1", ["p": .listed([1]), "c": .listed([5, 6])]),
        // A row that REPLACE removes can also delete rows of c.
        Case("INSERT OR REPLACE INTO p VALUES (9, 30, NULL)", ["p": .any, "c": .any]),
        Case("REPLACE INTO p VALUES (3, 31, NULL)", ["p": .any, "c": .any]),
        Case("INSERT OR IGNORE INTO p VALUES (1, 10, NULL), (8, 80, NULL)", ["p": .listed([8])]),
        Case(
            "INSERT INTO p VALUES (1, 11, NULL) ON CONFLICT DO UPDATE SET b = x'02'",
            ["p": .listed([1])]),
        Case("INSERT INTO w VALUES ('y', 2)", ["w": .any]),
        Case("UPDATE w SET v = 3", ["w": .any]),
        Case("DELETE FROM w WHERE k = 'x'", ["w": .any]),
        Case("DELETE FROM c", ["c": .listed([5, 6, 7])]),
        Case("DELETE FROM t", ["t": .any]),
        Case("DELETE FROM t; INSERT INTO log VALUES (1, 1)", ["t": .any, "log": .any]),
        Case("CREATE TABLE fresh (a)", [:], schema: true), Case("CREATE INDEX i ON p (b)", [:], schema: true),
        Case("DROP TABLE log", ["log": .any], schema: true), Case("CREATE VIEW v AS SELECT 1", [:], schema: true),
    ]

    @Test("Each kind of change is reported with its tables and rows", arguments: cases)
    func kinds(_ each: Case) async throws {
        let changes = try #require(try await changes(of: each.script))
        #expect(changes.schemaChanged == each.schemaChanged)
        // A schema change can report more than it changed, never less.
        if each.schemaChanged {
            #expect(Set(changes.tables.keys).isSubset(of: ["p", "log", "fresh"]))
        } else {
            let tables = each.tables.map { (ExactText($0.key), $0.value) }
            #expect(changes.tables == Dictionary(uniqueKeysWithValues: tables))
        }
    }

    @Test(
        "A write without effect is not a change",
        arguments: [
            "SELECT 1", "UPDATE p SET n = 1 WHERE id = 99", "DELETE FROM log",
            "INSERT OR IGNORE INTO p VALUES (1, 1, NULL)", "PRAGMA optimize",
        ])
    func nothing(_ script: String) async throws { #expect(try await changes(of: script) == nil) }

    @Test("Adding or renaming a column changes the schema")
    func altering() async throws {
        for script in ["ALTER TABLE p ADD COLUMN d", "ALTER TABLE c RENAME TO d"] {
            #expect(try await changes(of: script)?.schemaChanged == true)
        }
    }

    @Test("Rows of an undone savepoint are not reported, those around it are")
    func savepoint() async throws {
        let store = try openStore()
        var iterator = store.changes.makeAsyncIterator()
        try store.writeHere { connection in
            try connection.execute("UPDATE p SET b = NULL WHERE id = 1")
            try? connection.savepoint { connection in
                try connection.execute("UPDATE p SET b = NULL WHERE id = 2")
                try connection.execute("UPDATE c SET p = 3")
                throw Stop()
            }
            try connection.execute("UPDATE p SET b = NULL WHERE id = 3")
        }
        #expect(await iterator.next()?.tables == ["p": .listed([1, 3])])
    }

    @Test("A write that throws reports nothing, alone or in a group")
    func throwing() async throws {
        let store = try openStore()
        var iterator = store.changes.makeAsyncIterator()
        try? store.writeHere { connection in
            try connection.execute("UPDATE c SET p = 3")
            throw Stop()
        }
        let parts: [Part<Void>] = [
            { try $0.execute("UPDATE p SET b = NULL WHERE id = 1") },
            { connection in
                try connection.execute("UPDATE p SET b = NULL WHERE id = 2")
                throw Stop()
            },
            { try $0.execute("UPDATE p SET b = NULL WHERE id = 3") },
        ]
        let results = try await store.writeTogether(parts)
        #expect(results.map { $0.isSuccess } == [true, false, true])
        try await store.close()
        #expect(await iterator.next()?.tables == ["p": .listed([1, 3])])
        #expect(await iterator.next() == nil)
    }

    @Test("Writing to a blob is reported")
    func blob() async throws {
        let store = try openStore()
        var iterator = store.changes.makeAsyncIterator()
        try store.writeHere { connection in
            try connection.withBlob(BlobPlace(table: "P", column: "b", row: 2), .write) { blob in
                try blob.write([7], at: 0)
            }
        }
        #expect(await iterator.next()?.tables == ["p": .listed([2])])
        let chunks = AsyncStream<[UInt8]> { continuation in
            continuation.yield([1, 2, 3])
            continuation.finish()
        }
        try await store.insertBlob(into: "p", "b", from: chunks) { connection in
            try connection.execute("INSERT INTO p VALUES (50, 50, ?)", ZeroBytes(3))
            return connection.lastInsertedRowID
        }
        #expect(await iterator.next()?.tables == ["p": .listed([50])])
    }

    @Test("Writes outside transactions are reported")
    func withoutTransaction() async throws {
        let store = try openStore()
        var iterator = store.changes.makeAsyncIterator()
        try store.aloneHere { try $0.execute("UPDATE c SET p = 3 WHERE id = 7") }
        #expect(await iterator.next()?.tables == ["c": .listed([7])])
    }

    @Test("More changed rows than the limit are reported as any")
    func many() async throws {
        let script = """
            WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 10001)
            INSERT INTO log SELECT x, x FROM n
            """
        #expect(try await changes(of: script)?.tables == ["log": .any])
    }
}
