import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Connection options")
struct ConnectionOptionsTests {
    private static let queryOnly: ConnectionOptions = {
        var options = ConnectionOptions()
        options.isQueryOnly = true
        return options
    }()

    // MARK: Query only

    @Test(
        "A query-only connection refuses every write",
        arguments: [
            "INSERT INTO item (body) VALUES (x'00')", "UPDATE item SET body = x'00'",
            "DELETE FROM item", "REPLACE INTO item VALUES (1, x'00')", "CREATE TABLE t (a)",
            "DROP TABLE item", "CREATE INDEX i ON item (body)", "ALTER TABLE item ADD COLUMN b",
            "ANALYZE",
            "INSERT INTO item (body) VALUES (x'00') RETURNING id",
        ])
    func refusesWrites(_ sql: String) throws {
        let scratch = try DatabaseScratch()
        try scratch.fill(rows: 5)
        let before = try scratch.bytes
        do {
            let connection = try scratch.open(Self.queryOnly)
            let error = try #require(throws: LockstepError.self) {
                try connection.execute(SQL(verbatim: sql))
            }
            #expect(error.code == .readOnly)
            #expect(try scratch.count(connection) == 5)
        }
        #expect(try scratch.bytes == before)
    }

    @Test(
        "No pragma changes the file on a query-only connection",
        arguments: ["PRAGMA journal_mode = DELETE", "PRAGMA application_id = 1", "VACUUM"])
    func pragmasDoNotWrite(_ sql: String) throws {
        let scratch = try DatabaseScratch()
        try scratch.fill(rows: 5)
        let before = try scratch.bytes
        do {
            let connection = try scratch.open(Self.queryOnly)
            // Refusal and no effect are both acceptable.
            try? connection.execute(SQL(verbatim: sql))
        }
        #expect(try scratch.bytes == before)
    }

    @Test("Vacuuming a query-only connection is refused")
    func vacuum() throws {
        let scratch = try DatabaseScratch()
        try scratch.fill(rows: 5)
        let connection = try scratch.open(Self.queryOnly)
        let error = try #require(throws: LockstepError.self) { try connection.vacuum() }
        #expect(error.code == .readOnly)
    }

    @Test(
        "Query-only cannot be switched off",
        arguments: [
            "PRAGMA query_only = OFF", "PRAGMA query_only = 0", "PRAGMA Query_Only(false)",
            "PRAGMA main.query_only = no", "PRAGMA \"query_only\" = 0", "PRAGMA [QUERY_ONLY] = 0",
        ])
    func cannotBeSwitchedOff(_ sql: String) throws {
        let scratch = try DatabaseScratch()
        try scratch.fill(rows: 5)
        let connection = try scratch.open(Self.queryOnly)
        let denial = try #require(throws: LockstepError.self) {
            try connection.execute(SQL(verbatim: sql))
        }
        #expect(denial.code == .denied)
        #expect(try connection.value("PRAGMA query_only") == 1)
        let error = try #require(throws: LockstepError.self) {
            try connection.execute("DELETE FROM item")
        }
        #expect(error.code == .readOnly)
    }

    // MARK: Durability and memory

    @Test("Synchronous has the requested value, and is full by default")
    func synchronous() throws {
        let scratch = try DatabaseScratch()
        var options = ConnectionOptions()
        #expect(try scratch.create(options).value("PRAGMA synchronous") == 2)
        options.synchronous = .normal
        #expect(try scratch.open(options).value("PRAGMA synchronous") == 1)
        options.isQueryOnly = true
        #expect(try scratch.open(options).value("PRAGMA synchronous") == 1)
    }

    @Test("The cache has the requested size, within a minimum")
    func cache() throws {
        let scratch = try DatabaseScratch()
        var options = ConnectionOptions()
        #expect(try scratch.create(options).value("PRAGMA cache_size") == -16 * 1024)
        for (bytes, kibibytes) in [(1 << 20, 1024), (0, 64), (-5, 64)] {
            options.cacheBytes = bytes
            #expect(try scratch.open(options).value("PRAGMA cache_size") == -kibibytes)
        }
    }

    @Test("Temporary tables are in memory, pages are checked, and the file is not mapped") func session() throws {
        let connection = try DatabaseScratch().create()
        #expect(try connection.value("PRAGMA temp_store") == 2)
        #expect(try connection.value("PRAGMA cell_size_check") == 1)
        #expect(try connection.value("PRAGMA mmap_size") == 0)
    }

    // MARK: Waiting

    @Test("A second writer gets the error that the database is busy, and can write afterwards") func busy() throws {
        let scratch = try DatabaseScratch()
        var options = ConnectionOptions()
        options.busyTimeout = .zero
        try scratch.fill(rows: 1)
        let first = try scratch.open(options)
        let second = try scratch.open(options)
        try first.write { _ in
            let error = try #require(throws: LockstepError.self) {
                try second.write { try scratch.add(rows: 1, to: $0) }
            }
            #expect(error.code == .busy)
            #expect(error.hint != nil)
            #expect(second.isInTransaction == false)
            #expect(try scratch.count(second) == 1)
        }
        try scratch.add(rows: 1, to: second)
        #expect(try scratch.count(first) == 2)
    }

    @Test(
        "The busy timeout is passed in milliseconds",
        arguments: [
            (Duration.zero, 0), (.milliseconds(7), 7), (.seconds(2), 2000),
            (.microseconds(1999), 1), (.seconds(-1), 0), (.seconds(3_000_000_000), Int(Int32.max)),
        ])
    func timeout(_ duration: Duration, _ milliseconds: Int) throws {
        let scratch = try DatabaseScratch()
        var options = ConnectionOptions()
        options.busyTimeout = duration
        #expect(try scratch.create(options).value("PRAGMA busy_timeout") == milliseconds)
    }

    @Test("An infinite busy timeout does not trap")
    func endlessTimeout() async throws {
        await #expect(processExitsWith: .success) {
            let scratch = try DatabaseScratch()
            var options = ConnectionOptions()
            options.busyTimeout = .seconds(Int64.max)
            let set: Int? = try scratch.create(options).value("PRAGMA busy_timeout")
            try #require(set == Int(Int32.max))
        }
    }
}
