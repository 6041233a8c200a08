import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Giving up a version that was begun")
struct UnfinishedMigrationTests {
    private struct Stop: Error {}

    private static let create = """
        CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER);
        INSERT INTO t VALUES (1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 6);
        """
    private static let fill = """
        -- lockstep: backfill t batch=2
        UPDATE t SET n = n + 100 WHERE id BETWEEN :first AND :last;
        """

    private func set() throws -> MigrationSet {
        try Scratch.set(Scratch.up(Self.create), Scratch.up(Self.fill, down: Self.fill))
    }

    /// Stops the run to `target` after its first batch.
    private func begun(
        _ connection: borrowing Connection, _ target: Plan.Target = .latest
    ) throws -> UnfinishedMigration {
        let stopping = Migrator(try set()) { event in if case .advanced = event { throw Stop() } }
        #expect(throws: Stop.self) { _ = try stopping.run(target, on: connection) }
        return try #require(try Ledger.history(connection).unfinished.first)
    }

    @Test(
        "What has run stays, the version is pending, and its next run begins with its first statement"
    )
    func up() throws {
        let connection = try Connection.inMemory()
        try begun(connection).abandon(on: connection)
        #expect(try Ledger.history(connection).unfinished.isEmpty)
        #expect(try !EngineTables.exists(EngineTables.progress, connection))
        #expect(try Scratch.int(connection, "SELECT sum(n) FROM t") == 221)
        #expect(try Ledger.entries(connection).map(\.version) == [MigrationVersion(1)])
        _ = try Migrator(set()).run(on: connection)
        #expect(try Scratch.int(connection, "SELECT sum(n) FROM t") == 821)
    }

    private static let twoTables = """
        -- lockstep: no transaction
        CREATE TABLE u (x CHECK (x > 0));
        CREATE INDEX t_by_n ON t (n);
        INSERT INTO u SELECT n - 1 FROM t;
        CREATE TABLE v (y);
        """

    /// Version 2 has failed after its first two statements, and was given up.
    private func givenUp(_ connection: borrowing Connection) throws -> [String] {
        let set = try Scratch.set(Scratch.up(Self.create), Scratch.up(Self.twoTables))
        #expect(throws: LockstepError.self) { _ = try Migrator(set).run(on: connection) }
        let unfinished = try #require(try Ledger.history(connection).unfinished.first)
        Refusal.expect(.migrationUnfinished) {
            try Baseline(set, at: MigrationVersion(2)).record(on: connection)
        }
        try unfinished.abandon(on: connection)
        // The version's own file is not needed.
        let first = try Scratch.set(Scratch.up(Self.create))
        return try unfinished.remains(on: connection, sets: [first]).map {
            "\($0.type) \($0.name) \($0.change)"
        }
    }

    @Test("What has run of it is named; its file goes on if it drops that first") func droppedFirst() throws {
        let connection = try Connection.inMemory()
        #expect(try givenUp(connection) == ["index t_by_n unexpected", "table u unexpected"])
        let corrected = try Scratch.set(
            Scratch.up(Self.create),
            Scratch.up(
                "DROP TABLE IF EXISTS u; DROP INDEX IF EXISTS t_by_n;\n"
                    + Self.twoTables.replacing("-- lockstep: no transaction\n", with: "")
                    .replacing("n - 1", with: "n")))
        _ = try Migrator(corrected).run(on: connection)
        #expect(try Scratch.int(connection, "SELECT count(*) FROM u") == 6)
        #expect(try Ledger.entries(connection).count == 2)
    }

    @Test("Finished by hand, it is recorded by a baseline, and the next versions run") func finishedByHand() throws {
        let connection = try Connection.inMemory()
        _ = try givenUp(connection)
        let set = try Scratch.set(
            Scratch.up(Self.create), Scratch.up(Self.twoTables.replacing("n - 1", with: "n")),
            Scratch.up("CREATE TABLE w (z);"))
        let baseline = Baseline(set, at: MigrationVersion(2))
        Refusal.expect(.schemaBroken) { try baseline.record(on: connection) }
        try connection.execute("CREATE TABLE v (y)")
        #expect(try baseline.record(on: connection) == 1)
        #expect(try Migrator(set).run(on: connection).steps.map(\.version.description) == ["3"])
        #expect(try Ledger.entries(connection).count == 3)
    }

    @Test("A version that was being undone counts as applied, and can be undone from the beginning")
    func down() throws {
        let connection = try Connection.inMemory()
        _ = try Migrator(set()).run(on: connection)
        try begun(connection, .back(1)).abandon(on: connection)
        #expect(try Ledger.entries(connection).count == 2)
        #expect(try Migrator(set()).plan(.latest, on: connection).findings.isEmpty)
        _ = try Migrator(set()).run(.back(1), on: connection)
        #expect(try Ledger.entries(connection).count == 1)
    }

    @Test("Without its file, and without a set: the record is enough")
    func withoutFile() throws {
        let connection = try Connection.inMemory()
        let unfinished = try begun(connection)
        let first = try Scratch.set(Scratch.up(Self.create))
        let error = #expect(throws: LockstepError.self) {
            _ = try Migrator(first).run(on: connection)
        }
        #expect(error?.code == .migrationMissing)
        #expect(error?.hint?.contains("UnfinishedMigration.abandon") == true)
        try unfinished.abandon(on: connection)
        _ = try Migrator(first).run(on: connection)
    }

    @Test(
        "One that another command has finished or given up is refused; one in the other direction, too"
    )
    func gone() throws {
        let connection = try Connection.inMemory()
        let unfinished = try begun(connection)
        _ = try Migrator(set()).run(on: connection)
        Refusal.expect(.migrationMissing) { try unfinished.abandon(on: connection) }
        let other = try begun(connection, .back(1))
        Refusal.expect(.migrationMissing) { try unfinished.abandon(on: connection) }
        #expect(try Ledger.history(connection).unfinished == [other])
        try other.abandon(on: connection)
        Refusal.expect(.migrationMissing) { try other.abandon(on: connection) }
    }

    @Test(
        "A runner whose version is given up between two of its batches stops, and begins nothing again"
    )
    func beside() throws {
        let scratch = try DatabaseScratch()
        let connection = try scratch.create()
        var turns = 0
        let runner = Migrator(try set()) { event in
            guard case .advanced = event else { return }
            turns += 1
            guard turns == 2 else { return }
            let other = try scratch.open()
            let unfinished = try #require(try Ledger.history(other).unfinished.first)
            try unfinished.abandon(on: other)
        }
        Refusal.expect(.migrationUnfinished) { _ = try runner.run(on: connection) }
        #expect(try Scratch.int(connection, "SELECT sum(n) FROM t") == 421)
        #expect(try Ledger.history(connection).unfinished.isEmpty)
    }

    @Test("Beside another writer it waits, and reports that the database is busy")
    func busy() throws {
        let scratch = try DatabaseScratch()
        let connection = try scratch.create()
        let unfinished = try begun(connection)
        let other = try scratch.open()
        do {
            // It rolls back at the end of its scope.
            let transaction = try Transaction(.immediate, on: other)
            Refusal.expect(.busy) { try unfinished.abandon(on: connection, timeout: .zero) }
            _ = consume transaction
        }
        try unfinished.abandon(on: connection, timeout: .zero)
    }

    @Test("A row of an earlier build, without a digest, continues with its own file and no other")
    func withoutDigest() throws {
        let connection = try Connection.inMemory()
        _ = try begun(connection)
        try connection.with(rights: .engine) {
            try connection.execute("ALTER TABLE lockstep_progress DROP COLUMN completed")
        }
        let unfinished = try #require(try Ledger.history(connection).unfinished.first)
        #expect(unfinished.completed == nil)
        let changed = try Scratch.set(Scratch.up(Self.create), Scratch.up(Self.fill.replacing("100", with: "200")))
        Refusal.expect(.migrationChanged) { _ = try Migrator(changed).run(on: connection) }
        // Stopped again, the row has a digest.
        _ = try begun(connection)
        #expect(try Ledger.history(connection).unfinished.first?.completed != nil)
        _ = try Migrator(set()).run(on: connection)
        #expect(try Scratch.int(connection, "SELECT sum(n) FROM t") == 621)
    }

    @Test("A digest that Lockstep did not write is tampering", arguments: ["x'00'", "'text'", "7"])
    func forgedDigest(value: String) throws {
        let connection = try Connection.inMemory()
        _ = try begun(connection)
        try connection.with(rights: .engine) {
            try connection.execute(SQL(verbatim: "UPDATE lockstep_progress SET completed = \(value)"))
        }
        Refusal.expect(.tampered) { _ = try Migrator(set()).run(on: connection) }
        Refusal.expect(.tampered) { _ = try Ledger.history(connection) }
    }

    @Test("Another runner can end the version at every statement of those who read") func endedMeanwhile() throws {
        var isOver = false
        var ended = 0
        while !isOver {
            let scratch = try DatabaseScratch()
            let unfinished = try begun(scratch.create())
            let statements = Counter()
            var options = ConnectionOptions()
            options.trace = { [ended] _ in
                guard statements.increase() == ended else { return }
                #expect(throws: Never.self) { try unfinished.abandon(on: scratch.open()) }
            }
            let connection = try scratch.open(options)
            let history = try Ledger.history(connection)
            #expect(history.entries.map(\.version) == [MigrationVersion(1)])
            isOver = statements.value <= ended
            if !isOver { ended += 1 }
        }
        #expect(ended > 3)
    }
}
