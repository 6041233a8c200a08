import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// What a kill leaves between two batches is no drift: the next run ends it.
@Suite("Drift while a column is sealed or unsealed")
struct UnfinishedDriftTests {
    private struct Stop: Error {}

    private static let set = Result {
        try MigrationSet(
            name: "films",
            files: [
                (
                    name: "0001_start.sql",
                    content: """
                    -- lockstep: up
                    CREATE TABLE film (id INTEGER PRIMARY KEY, title TEXT);
                    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20)
                    INSERT INTO film SELECT i, 'Film ' || i FROM n;
                    """
                )
            ])
    }

    @Test("It is none after any batch, and what somebody else made meanwhile is", arguments: [0, 6, 12, 20])
    func stopped(after rows: Int) throws {
        let keys = try CellWorkbench.keys(named: "catalogue")
        var options = ConnectionOptions()
        options.fieldKeys = [keys]
        options.mayBeUnsealed = true
        let connection = try Connection.inMemory(options)
        let set = try Self.set.get()
        _ = try Migrator(set).run(on: connection)
        func drift() throws -> [String] {
            try DriftCheck.differences(of: SchemaSnapshot(connection), on: connection, [set], .init()).map {
                "\($0.type) \($0.name) \($0.change)"
            }
        }
        func run(_ goal: SealingGoal, _ body: (JobProgress) throws -> Void = { _ in }) throws {
            let change = SealingChange(table: "film", column: "title", goal: goal, batch: 3)
            try change.run(on: connection, keys: keys) { try body($0) }
        }
        let index = try #require(SealedIndex.Request("exact"))
        for goal in [SealingGoal.protect(mode: .random, padding: .none, indexes: [index]), .unprotect] {
            var isStopped = false
            do {
                try run(goal) { progress in
                    guard progress.done >= rows else { return }
                    isStopped = true
                    throw Stop()
                }
            } catch is Stop {}
            #expect(isStopped)
            #expect(try drift() == [])
            try connection.with(rights: .engine) {
                try connection.execute(
                    "CREATE TRIGGER lockstep_sealed_film_title_other AFTER INSERT ON film BEGIN SELECT 1; END")
            }
            #expect(try drift() == ["trigger lockstep_sealed_film_title_other unexpected"])
            try connection.with(rights: .engine) {
                try connection.execute("DROP TRIGGER lockstep_sealed_film_title_other")
            }
            try run(goal)
            #expect(try drift() == [])
        }
    }
}
