import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Migrator")
struct MigratorTests {
    private let two = [
        Scratch.up("CREATE TABLE a (x INTEGER);", down: "DROP TABLE a;"),
        Scratch.up(
            "CREATE TABLE b (y INTEGER);\nINSERT INTO a VALUES (7);",
            down: "DELETE FROM a;\n-- lockstep: allow loss of table a\nDROP TABLE b;"),
    ]

    @Test("It runs the pending versions, records them, and then has nothing to do")
    func up() throws {
        let connection = try Connection.inMemory()
        let migrator = Migrator(try Scratch.set(two))
        let report = try migrator.run(on: connection)
        #expect(report.steps.map(\.version.description) == ["1", "2"])
        #expect(report.steps.map(\.statements) == [1, 2])
        let ledger = try Ledger.entries(connection)
        #expect(ledger.map(\.version.description) == ["1", "2"])
        #expect(ledger.map(\.toolVersion) == [LockstepVersion.current, LockstepVersion.current])
        #expect(try Scratch.int(connection, "PRAGMA user_version") == 2)
        #expect(try Scratch.int(connection, "PRAGMA application_id") == Int(Connection.applicationID))
        #expect(try migrator.run(on: connection).steps.isEmpty)
        #expect(try Scratch.int(connection, "SELECT x FROM a") == 7)
    }

    @Test("To a version and back leaves the schema of that version")
    func downAndUp() throws {
        let connection = try Connection.inMemory()
        let migrator = Migrator(try Scratch.set(two))
        _ = try migrator.run(.version(MigrationVersion(1)), on: connection)
        let first = try SchemaSnapshot(connection)
        _ = try migrator.run(on: connection)
        let second = try SchemaSnapshot(connection)
        let report = try migrator.run(.version(MigrationVersion(1)), on: connection)
        #expect(report.steps.map(\.isUp) == [false])
        #expect(try SchemaSnapshot(connection) == first)
        #expect(try Scratch.int(connection, "PRAGMA user_version") == 1)
        _ = try migrator.run(on: connection)
        #expect(try SchemaSnapshot(connection) == second)
        #expect(try migrator.run(.back(2), on: connection).steps.count == 2)
        #expect(try Ledger.entries(connection).isEmpty)
        #expect(try Scratch.schema(connection).isEmpty)
    }

    @Test("A version is undone by its file, of which only a comment has changed") func commentedWayDown() throws {
        let connection = try Connection.inMemory()
        _ = try Migrator(try Scratch.set(two)).run(on: connection)
        // Only a comment differs from the applied file.
        let commented = [two[0], two[1] + "-- a remark\n"]
        let report = try Migrator(try Scratch.set(commented)).run(.back(1), on: connection)
        // The second notice reports the row that the way down removes, as declared.
        #expect(report.notices.map(\.code) == [.migrationChanged, .rowsLost])
        #expect(try Scratch.schema(connection) == ["CREATE TABLE a (x INTEGER)"])
    }

    @Test(
        "An older program migrates back to its own version, if it may use the ledger's record"
    )
    func olderProgram() throws {
        let connection = try Connection.inMemory()
        _ = try Migrator(try Scratch.set(two)).run(on: connection)
        let older = Migrator(try Scratch.set([two[0]]))
        Refusal.expect(.migrationMissing) { _ = try older.run(on: connection) }
        let target = Plan.Target.version(MigrationVersion(1))
        Refusal.expect(.migrationMissing) { _ = try older.run(target, on: connection) }
        let trusting = Migrator(try Scratch.set([two[0]]), recordedDown: .allowed)
        #expect(try trusting.run(target, on: connection).steps.count == 1)
        #expect(try Scratch.schema(connection) == ["CREATE TABLE a (x INTEGER)"])
        #expect(try older.run(on: connection).steps.isEmpty)
    }

    @Test("A failing version leaves no trace, and the versions before it applied")
    func failing() throws {
        let connection = try Connection.inMemory()
        let scripts =
            two + [Scratch.up("CREATE TABLE c (z);\nINSERT INTO c VALUES (1);\nINSERT INTO nowhere VALUES (1);")]
        Refusal.expect(.migrationFailed) {
            _ = try Migrator(try Scratch.set(scripts)).run(on: connection)
        }
        #expect(try Ledger.entries(connection).count == 2)
        #expect(try Scratch.schema(connection).count == 2)
        let isOpen = connection.isInTransaction
        #expect(!isOpen)
        #expect(try Scratch.int(connection, "PRAGMA foreign_keys") == 1)
    }

    @Test("A changed file, a gap and a duplicate stop everything before it begins")
    func unsound() throws {
        let connection = try Connection.inMemory()
        _ = try Migrator(try Scratch.set([two[0]])).run(on: connection)
        let changed = try Scratch.set([Scratch.up("CREATE TABLE a (z TEXT);"), two[1]])
        Refusal.expect(.migrationChanged) { _ = try Migrator(changed).run(on: connection) }
        let gap = try MigrationSet(
            name: "test", files: [(name: "0001_step.sql", content: two[0]), (name: "0003_x.sql", content: two[1])])
        Refusal.expect(.versionGap) { _ = try Migrator(gap).run(on: connection) }
        #expect(try Ledger.entries(connection).count == 1)
    }

    @Test("Two sets live in one database")
    func twoSets() throws {
        let connection = try Connection.inMemory()
        let other = try MigrationSet(
            name: "other",
            files: [(name: "1_x.sql", content: Scratch.up("CREATE TABLE o (p);"))])
        _ = try Migrator(try Scratch.set(two)).run(on: connection)
        _ = try Migrator(other).run(on: connection)
        #expect(try Ledger.entries(connection).map(\.set) == ["test", "test", "other"])
        #expect(try Scratch.int(connection, "PRAGMA user_version") == 3)
    }

    @Test("Another program's database is refused")
    func foreign() throws {
        let connection = try Connection.inMemory()
        try connection.setHeaderField("application_id", 77)
        Refusal.expect(.foreignApplication) {
            _ = try Migrator(try Scratch.set(two)).run(on: connection)
        }
        #expect(try Scratch.schema(connection).isEmpty)
    }

    @Test("It refuses to run inside a transaction")
    func insideTransaction() throws {
        let connection = try Connection.inMemory()
        Refusal.expect(.misuse) {
            try connection.write { connection in
                _ = try Migrator(try Scratch.set(two)).run(on: connection)
            }
        }
    }

    @Test("An observer that throws stops the run and rolls its version back")
    func observer() throws {
        let connection = try Connection.inMemory()
        let migrator = Migrator(try Scratch.set(two)) { event in
            if event == .recorded(set: "test", version: MigrationVersion(2)) { throw Stop() }
        }
        #expect(throws: Stop.self) { _ = try migrator.run(on: connection) }
        #expect(try Ledger.entries(connection).count == 1)
        #expect(try Scratch.schema(connection) == ["CREATE TABLE a (x INTEGER)"])
    }

    @Test("Progress counts the versions; throwing from it stops the run")
    func progress() throws {
        let connection = try Connection.inMemory()
        let set = try Scratch.set(two)
        var seen: [JobProgress] = []
        #expect(throws: Stop.self) {
            _ = try Migrator(set).run(on: connection) { progress in
                seen.append(progress)
                if progress.phase == .up.of("test 2"), progress.step != nil { throw Stop() }
            }
        }
        #expect(try Ledger.entries(connection).count == 1)
        #expect(Set(seen.map(\.phase)) == [.up.of("test 1"), .up.of("test 2")])
        #expect(seen.allSatisfy { $0.total == 2 && $0.unit == .steps })
        #expect(seen.filter(\.hasEnded).map(\.done) == [1] && seen.first?.done == 0)
        seen = []
        _ = try Migrator(set).run(on: connection) { seen.append($0) }
        #expect(seen.last?.hasEnded == true && seen.last?.done == 1 && seen.last?.total == 1)
    }

    @Test("Cancelling the task stops the run")
    func cancelled() async throws {
        let set = try Scratch.set(two)
        let task = Task {
            try await JobThread.run {
                let connection = try Connection.inMemory()
                withUnsafeCurrentTask { unsafe $0?.cancel() }
                return try Migrator(set).run(on: connection).steps.count
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("Two runners on one file: both finish, each version is applied once")
    func twoRunners() async throws {
        let scratch = try DatabaseScratch()
        _ = try scratch.create().path
        let set = try Scratch.set(
            (1...12).map { Scratch.up("CREATE TABLE t\($0) (x);\nINSERT INTO t\($0) VALUES (1);") })
        let applied = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    try await JobThread.run {
                        try Migrator(set).run(on: scratch.open()).steps.count
                    }
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(applied == 12)
        let connection = try scratch.open()
        #expect(try Ledger.entries(connection).count == 12)
        for number in 1...12 {
            #expect(try Scratch.int(connection, "SELECT count(*) FROM t\(number)") == 1)
        }
    }

    @Test("A runner on its way down stops at its target, though another has done part of it")
    func twoRunnersDown() throws {
        let scratch = try DatabaseScratch()
        let set = try Scratch.set((1...9).map { Scratch.up("CREATE TABLE t\($0) (x);", down: "DROP TABLE t\($0);") })
        let connection = try scratch.create()
        _ = try Migrator(set).run(on: connection)
        let target = Plan.Target.version(MigrationVersion(3))
        var steps = 0
        let first = Migrator(set) { event in
            guard case .committed = event else { return }
            steps += 1
            guard steps == 1 else { return }
            // The other one does all of the remaining work, between two of this one's steps.
            let other = try scratch.open()
            #expect(try Migrator(set).run(target, on: other).steps.count == 5)
        }
        #expect(try first.run(target, on: connection).steps.count == 1)
        #expect(try Ledger.entries(connection).map(\.version.description) == ["1", "2", "3"])
    }

    @Test("Programs and migrations cannot write into the ledger")
    func ledgerIsOurs() throws {
        let connection = try Connection.inMemory()
        _ = try Migrator(try Scratch.set(two)).run(on: connection)
        Refusal.expect(.denied) { try connection.execute("DELETE FROM lockstep_migration") }
        Refusal.expect(.denied) { try connection.execute("DROP TABLE Lockstep_Migration") }
        let sly = two + [Scratch.up("UPDATE lockstep_migration SET name = 'x';")]
        Refusal.expect(.migrationFailed) {
            _ = try Migrator(try Scratch.set(sly)).run(on: connection)
        }
        #expect(try Ledger.entries(connection).count == 2)
    }
}
