import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Migrator: redo, out of order, stores")
struct MigratorTargetTests {
    private let files = [
        (name: "1_a.sql", content: Scratch.up("CREATE TABLE a (x);", down: "DROP TABLE a;")),
        (name: "5_e.sql", content: Scratch.up("CREATE TABLE e (x);", down: "DROP TABLE e;")),
        (name: "20_t.sql", content: Scratch.up("CREATE TABLE t (x);", down: "DROP TABLE t;")),
    ]

    /// Timestamps can have gaps.
    private func set(_ indexes: Int...) throws -> MigrationSet {
        try MigrationSet(
            name: "test",
            files: indexes.map { index in
                (name: "202\(files[index].name)", content: files[index].content)
            })
    }

    @Test(
        "Redo applies the current files; a changed one is undone as recorded, on demand"
    )
    func redo() throws {
        let connection = try Connection.inMemory()
        _ = try Migrator(set(0, 1)).run(on: connection)
        let changed = try MigrationSet(
            name: "test",
            files: [
                (name: "2021_a.sql", content: files[0].content),
                (name: "2025_e.sql", content: Scratch.up("CREATE TABLE e (x, y);")),
            ])
        Refusal.expect(.migrationChanged) { _ = try Migrator(changed).run(on: connection) }
        Refusal.expect(.migrationChanged) {
            _ = try Migrator(changed).run(.redo(1), on: connection)
        }
        let trusting = Migrator(changed, recordedDown: .allowed)
        let plan = try trusting.plan(.redo(1), on: connection)
        #expect(plan.steps.map(\.isUp) == [false, true])
        let report = try trusting.run(.redo(1), on: connection)
        #expect(report.steps.map(\.isUp) == [false, true])
        #expect(try Scratch.schema(connection) == ["CREATE TABLE a (x)", "CREATE TABLE e (x, y)"])
        // Now it has no way down.
        Refusal.expect(.irreversible) { _ = try Migrator(changed).run(.redo(1), on: connection) }
        #expect(try Migrator(changed).run(.redo(0), on: connection).steps.isEmpty)
    }

    @Test("A late version stops a run, unless versions out of order are allowed")
    func outOfOrder() throws {
        let connection = try Connection.inMemory()
        _ = try Migrator(set(0, 2)).run(on: connection)
        Refusal.expect(.outOfOrder) { _ = try Migrator(set(0, 1, 2)).run(on: connection) }
        let report = try Migrator(set(0, 1, 2), allowsOutOfOrder: true).run(on: connection)
        #expect(report.steps.map(\.version.description) == ["2025"])
        #expect(report.notices.map(\.code) == [.outOfOrder])
        #expect(try Migrator(set(0, 1, 2)).run(on: connection).steps.isEmpty)
        #expect(try Ledger.entries(connection).map(\.version.description) == ["2021", "20220", "2025"])
        // The last applied version goes first.
        let back = try Migrator(set(0, 1, 2)).run(.back(1), on: connection)
        #expect(back.steps.map(\.version.description) == ["2025"])
    }

    @Test("A program migrates its store at startup, through any of the calls")
    func store() async throws {
        let scratch = try DatabaseScratch()
        _ = try scratch.create().path
        let store = try Store.open(scratch.path, rawKey: scratch.key())
        let other = try MigrationSet(
            name: "other", files: [(name: "1_o.sql", content: Scratch.up("CREATE TABLE o (p);"))])
        let first = try await store.migrate(set(0), other)
        #expect(first.steps.map(\.set) == ["test", "other"])
        func blocking() throws -> MigrationReport { try store.blocking.migrate(set(0, 1), other) }
        #expect(try blocking().steps.map(\.version.description) == ["2025"])
        #expect(try blocking().steps.isEmpty)
        func back() throws -> MigrationReport {
            try store.blocking.migrate(set(0, 1), to: .back(1))
        }
        #expect(try back().steps.map(\.isUp) == [false])
        func fails() throws {
            try store.blocking.migrate(
                MigrationSet(name: "bad", files: [(name: "1_b.sql", content: Scratch.up("NONSENSE;"))]))
        }
        Refusal.expect(.migrationFailed) { try fails() }
        let left: Int? = try await store.read { db in try db.value("SELECT count(*) FROM o") }
        #expect(left == 0)
    }
}
