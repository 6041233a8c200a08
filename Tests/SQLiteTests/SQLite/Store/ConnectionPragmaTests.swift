import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("What closures set on their connection")
struct ConnectionPragmaTests {
    /// A setting, and a value that it has not at first.
    private static let settings = [
        ("foreign_keys", 0), ("ignore_check_constraints", 1), ("synchronous", 0),
        ("secure_delete", 0), ("recursive_triggers", 1), ("reverse_unordered_selects", 1),
        ("legacy_alter_table", 1), ("max_page_count", 5000), ("cache_size", 77),
        ("read_uncommitted", 1), ("automatic_index", 0), ("busy_timeout", 77),
        ("count_changes", 1), ("short_column_names", 0), ("journal_size_limit", 77),
    ]

    private func value(_ name: String, of store: Store) throws -> Int? {
        try store.blocking.withoutTransaction {
            try $0.value("PRAGMA \(verbatim: name)", as: Int.self)
        }
    }

    @Test("Each is put back when the closure ends, returns or throws", arguments: settings)
    func putBack(name: String, other: Int) throws {
        let scratch = try DatabaseScratch()
        for store in [try Store.create(scratch.path, rawKey: scratch.key()), try Store.inMemory()] {
            let before = try value(name, of: store)
            #expect(before != other)
            for isThrowing in [false, true] {
                try? store.blocking.withoutTransaction { connection in
                    try connection.execute("PRAGMA \(verbatim: "\(name) = \(other)")")
                    #expect(
                        try connection.value("PRAGMA \(verbatim: name)", as: Int.self) == other)
                    if isThrowing { throw Stop() }
                }
                #expect(try value(name, of: store) == before)
            }
        }
    }

    @Test(
        "So is the one that cannot be read, and all of them after a transaction that was left open")
    func others() throws {
        let store = try Store.inMemory()
        try store.blocking.withoutTransaction { try $0.execute("PRAGMA case_sensitive_like = ON") }
        #expect(try store.blocking.read { try $0.value("SELECT 'a' LIKE 'A'", as: Bool.self) } == true)
        Refusal.expect(.misuse) {
            try store.blocking.withoutTransaction {
                try $0.execute("PRAGMA foreign_keys = OFF")
                try $0.execute("BEGIN")
            }
        }
        #expect(try value("foreign_keys", of: store) == 1)
    }

    /// A store with its file, and one in memory.
    private static func stores() throws -> (scratch: DatabaseScratch, stores: [Store]) {
        let scratch = try DatabaseScratch()
        var options = StoreOptions()
        options.readers = 1
        let store = try Store.create(scratch.path, rawKey: scratch.key(), options: options)
        return (scratch, [store, try Store.inMemory()])
    }

    private static let create = """
        CREATE TABLE t (a TEXT, b INTEGER CHECK (b > 0));
        INSERT INTO t (a) VALUES ('A');
        """

    /// Settings that work inside a transaction.
    private static let inside = settings.filter { !["foreign_keys", "synchronous"].contains($0.0) }

    @Test("`read` and `write` leave each setting as it was", arguments: inside)
    func readAndWrite(name: String, other: Int) throws {
        let (scratch, stores) = try Self.stores()
        defer { withExtendedLifetime(scratch) {} }
        let sql: SQL = "PRAGMA \(verbatim: "\(name) = \(other)")"
        let ask: SQL = "PRAGMA \(verbatim: name)"
        for store in stores {
            let inReads = try store.blocking.read { try $0.value(ask, as: Int.self) }
            let inWrites = try store.blocking.write { try $0.value(ask, as: Int.self) }
            for isThrowing in [false, true] {
                // The same text twice: what was prepared in an earlier call is not run again.
                for _ in 0..<2 {
                    try? store.blocking.read { connection in
                        try connection.execute(sql)
                        #expect(try connection.value(ask, as: Int.self) == other)
                        if isThrowing { throw Stop() }
                    }
                    try? store.blocking.write { connection in
                        try connection.run(script: "PRAGMA \(name) = \(other);")
                        #expect(try connection.value(ask, as: Int.self) == other)
                        if isThrowing { throw Stop() }
                    }
                }
                #expect(try store.blocking.read { try $0.value(ask, as: Int.self) } == inReads)
                #expect(try store.blocking.write { try $0.value(ask, as: Int.self) } == inWrites)
            }
        }
    }

    @Test("Reads after a changed LIKE answer the same, and CHECKs are in force for the next write")
    func results() throws {
        let (scratch, stores) = try Self.stores()
        defer { withExtendedLifetime(scratch) {} }
        let count: SQL = "SELECT count(*) FROM t WHERE a LIKE 'a'"
        for store in stores {
            try store.blocking.write { try $0.run(script: Self.create) }
            for pragma: SQL in ["PRAGMA case_sensitive_like = ON", "EXPLAIN PRAGMA recursive_triggers = ON"] {
                try store.blocking.read { try $0.execute(pragma) }
                try store.blocking.write { try $0.execute(pragma) }
            }
            #expect(try store.blocking.read { try $0.value(count, as: Int.self) } == 1)
            #expect(try store.blocking.write { try $0.value(count, as: Int.self) } == 1)
            try store.blocking.write { connection in
                try connection.execute("PRAGMA ignore_check_constraints = ON")
                try connection.execute("INSERT INTO t VALUES ('unchecked', -1)")
            }
            Refusal.expect(.constraint) {
                try store.blocking.write { try $0.execute("INSERT INTO t VALUES ('bad', -2)") }
            }
            #expect(try store.blocking.read { try $0.value("SELECT count(*) FROM t", as: Int.self) } == 2)
        }
    }

    @Test("Temporary tables, views and triggers end with the write that made them") func temporaryObjects() throws {
        let (scratch, stores) = try Self.stores()
        defer { withExtendedLifetime(scratch) {} }
        let count: SQL = "SELECT count(*) FROM temp.sqlite_schema"
        for store in stores {
            try store.blocking.write { try $0.run(script: Self.create) }
            let before = try store.blocking.write { try $0.value(count, as: Int.self) }
            for _ in 0..<2 {
                try store.blocking.write { connection in
                    try connection.run(
                        script: """
                            CREATE TEMP TABLE kept AS SELECT * FROM t;
                            CREATE INDEX temp.kept_a ON kept (a);
                            CREATE TEMP TRIGGER doubled AFTER INSERT ON main.t BEGIN
                                INSERT INTO kept (a) VALUES (new.a);
                            END;
                            CREATE TEMP VIEW seen AS SELECT * FROM kept;
                            CREATE VIRTUAL TABLE temp.words USING fts5 (word);
                            INSERT INTO words VALUES ('one');
                            INSERT INTO t (a) VALUES ('B');
                            """)
                    #expect(
                        try connection.value(
                            "SELECT count(*) FROM seen WHERE a = 'B'", as: Int.self)
                            ?? 0 > 0)
                }
                #expect(try store.blocking.write { try $0.value(count, as: Int.self) } == before)
            }
            #expect(try store.blocking.read { try $0.value("SELECT count(*) FROM t", as: Int.self) } == 3)
        }
    }

    @Test("A cancelled call leaves nothing, and neither do writes that share a transaction")
    func cancelledAndShared() async throws {
        let (scratch, stores) = try Self.stores()
        defer { withExtendedLifetime(scratch) {} }
        let like: SQL = "SELECT 'a' LIKE 'A'"
        for store in stores {
            // The closure can run on a thread that belongs to no task, so it is cancelled from outside.
            let (begun, begin) = AsyncStream.makeStream(of: Void.self)
            let task = Task {
                try await store.read { connection in
                    try connection.execute("PRAGMA case_sensitive_like = ON")
                    begin.finish()
                    _ = try connection.value(
                        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n",
                        as: Int.self)
                }
            }
            for await _ in begun {}
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(try await store.read { try $0.value(like, as: Bool.self) } == true)
            let answers = try await withThrowingTaskGroup(of: Bool?.self) { group in
                for number in 0..<40 {
                    group.addTask {
                        try await store.write { connection in
                            if number % 2 == 0 {
                                try connection.execute("PRAGMA case_sensitive_like = ON")
                                return true
                            }
                            return try connection.value(like, as: Bool.self)
                        }
                    }
                }
                var answers: Set<Bool?> = []
                for try await answer in group { answers.insert(answer) }
                return answers
            }
            #expect(answers == [true])
        }
    }

    @Test("A statement that another call prepared does not change the settings unseen")
    func preparedElsewhere() throws {
        let store = try Store.inMemory()
        // One whole call costs no more than its statements, and reads no settings.
        try store.blocking.write { connection in
            try connection.execute("CREATE TABLE u (a)")
            #expect(connection.core.stateBefore == nil)
            _ = try connection.query("SELECT name FROM pragma_table_info('u')") {
                try $0[0] as String
            }
            try connection.execute("PRAGMA foreign_key_check(u)")
            #expect(connection.core.stateBefore == nil)
            try connection.execute("PRAGMA cache_size = 100")
            #expect(connection.core.stateBefore != nil)
        }
        try store.blocking.write { #expect($0.core.stateBefore == nil) }
    }
}
