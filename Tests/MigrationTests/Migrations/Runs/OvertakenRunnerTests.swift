import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// A runner that finds, once it has the write lock, that another runner has migrated since it made its plan.
@Suite("A runner overtaken by another")
struct OvertakenRunnerTests {
    @Test("A repeatable migration that the other has run does not run again")
    func repeatable() throws {
        let set = try MigrationSet(
            name: "test",
            files: [
                (name: "V1__log.sql", content: "CREATE TABLE log (name TEXT);"),
                (name: "R__a.sql", content: "INSERT INTO log VALUES ('a');"),
                (name: "R__b.sql", content: "INSERT INTO log VALUES ('b');"),
            ])
        let database = try DatabaseScratch()
        let connection = try database.create()
        var began: [String] = []
        let migrator = Migrator(set) { event in
            switch event {
            case .repeating(_, let name): began.append(name)
            case .repeated(_, "a"):
                let other = try Migrator(set).run(on: database.open())
                #expect(other.repeated.map(\.name) == ["b"])
            default: break
            }
        }
        let report = try migrator.run(on: connection)
        #expect(began == ["a"] && report.repeated.map(\.name) == ["a"])
        #expect(try Scratch.int(connection, "SELECT count(*) FROM log WHERE name = 'b'") == 1)
        #expect(try Migrator(set).run(on: connection).repeated.isEmpty)
    }

    @Test(
        "A version that the other has begun in the opposite direction is left alone",
        arguments: [true, false])
    func otherDirection(isUp: Bool) throws {
        let batches = "-- lockstep: backfill a batch=4\nUPDATE a SET n = n + 1 WHERE id BETWEEN :first AND :last;"
        let set = try Scratch.set(
            Scratch.up("CREATE TABLE a (id INTEGER PRIMARY KEY, n);", down: "DROP TABLE a;"),
            Scratch.up(batches, down: batches))
        let connection = try Connection.inMemory()
        _ = try Migrator(set).run(.version(MigrationVersion(1)), on: connection)
        for id in 1...20 { try connection.execute("INSERT INTO a VALUES (?, 0)", id) }
        _ = try Migrator(set).run(on: connection)
        let applied = try #require(try Ledger.entries(connection).last)
        // The other goes down if this one goes up.
        if !isUp { _ = try Migrator(set).run(.back(1), on: connection) }
        let stopping = Migrator(set) { event in
            if case .advanced = event { throw Stop() }
        }
        #expect(throws: Stop.self) {
            _ = try stopping.run(isUp ? .back(1) : .latest, on: connection)
        }
        let begun = try MigrationProgress.all(connection)
        #expect(begun.map(\.isUp) == [!isUp])
        let second = Migration.file(set.files[1])
        let step: Plan.Step = isUp ? .up(second) : .down(applied, .own(second))
        var known: GuardCache?
        let run = StepRun(set: set, step: step, timeout: .zero, earlier: EarlierFills(set)) { _ in }
        Refusal.expect(.migrationUnfinished) {
            _ = try run.run(connection, &known) { _ in true }
        }
        #expect(try MigrationProgress.all(connection) == begun)
    }
}
