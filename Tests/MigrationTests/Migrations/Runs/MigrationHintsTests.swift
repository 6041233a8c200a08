import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// The hints of refused runs lead somewhere: each is followed here, and the run then succeeds.
@Suite("The hints of refused migrations")
final class MigrationHintsTests {
    private struct Stop: Error {}

    private static let create =
        "CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER);\nINSERT INTO t VALUES (1, 1), (2, 2), (3, 3);"
    private static let fill =
        "-- lockstep: backfill t batch=1\nUPDATE t SET n = n + 1 WHERE id BETWEEN :first AND :last;"

    private let connection: Connection

    init() throws { connection = try Connection.inMemory() }

    private func set(_ files: [(String, String)]) throws -> MigrationSet {
        try MigrationSet(name: "test", files: files.map { (name: $0.0, content: $0.1) })
    }

    private func migrate(_ set: MigrationSet, _ target: Plan.Target = .latest) throws {
        _ = try Migrator(set).run(target, on: connection)
    }

    /// Requires that the run is refused with a hint that contains `text`.
    private func refused(
        _ text: String, _ set: MigrationSet, _ target: Plan.Target = .latest,
        location: SourceLocation = #_sourceLocation
    ) throws {
        let error = #expect(throws: LockstepError.self, sourceLocation: location) {
            try migrate(set, target)
        }
        let hint = try #require(error?.hint, "\(String(describing: error))", sourceLocation: location)
        #expect(hint.contains(text), sourceLocation: location)
    }

    private func stopped(_ set: MigrationSet, _ target: Plan.Target = .latest) throws {
        let stopping = Migrator(set) { event in if case .advanced = event { throw Stop() } }
        #expect(throws: Stop.self) { _ = try stopping.run(target, on: connection) }
    }

    private func abandon() throws {
        try #require(try Ledger.history(connection).unfinished.first).abandon(on: connection)
    }

    private let first = ("0001_a.sql", Scratch.up(create, down: "-- lockstep: allow loss of table t\nDROP TABLE t;"))

    @Test("A gap: add the missing file, or renumber the later one")
    func gap() throws {
        let late = Scratch.up("CREATE TABLE c (x);")
        try refused("add the missing file, or renumber", set([first, ("0003_c.sql", late)]))
        try migrate(set([first, ("0002_b.sql", Scratch.up("CREATE TABLE b (x);")), ("0003_c.sql", late)]))
        let other = try Connection.inMemory()
        _ = try Migrator(set([first, ("0002_c.sql", late)])).run(on: other)
    }

    @Test("Two files of one version: change one of them to the next free version")
    func duplicate() throws {
        let text = Scratch.up("CREATE TABLE b (x);")
        try refused("change one of them", set([first, ("0001_b.sql", text)]))
        try migrate(set([first, ("0002_b.sql", text)]))
    }

    @Test(
        "An applied file that is gone or has changed: restore it, and put the change into a new version"
    )
    func restoring() throws {
        try migrate(set([first]))
        let changed = ("0001_a.sql", Scratch.up(Self.create + "\nCREATE TABLE more (x);"))
        let second = ("0002_b.sql", Scratch.up("CREATE TABLE more (x);"))
        try refused("restore the original file, and put the change into a new version", set([changed]))
        try refused("restore the file", set([second]))
        try migrate(set([first, second]))
    }

    @Test("A version that came late: a version above the newest, or versions out of order") func outOfOrder() throws {
        func stamped(_ day: Int) -> (String, String) {
            ("2024010\(day)000000_a.sql", Scratch.up("CREATE TABLE t\(day) (x);"))
        }
        try migrate(set([stamped(1), stamped(3)]))
        try refused("give it a version above 20240103000000, or allow", set([stamped(1), stamped(2), stamped(3)]))
        _ = try Migrator(set([stamped(1), stamped(2), stamped(3)]), allowsOutOfOrder: true).run(on: connection)
        try migrate(set([stamped(1), stamped(2), stamped(3), stamped(4)]))
    }

    @Test("An unknown target: the hint names the newest version")
    func target() throws {
        try refused("its newest version is 1", set([first]), .version(MigrationVersion(7)))
        try migrate(set([first]), .version(MigrationVersion(1)))
    }

    @Test("Lost rows: declare the loss")
    func loss() throws {
        try migrate(set([first]))
        try refused("`-- lockstep: allow loss of table t`", set([first, ("0002_b.sql", Scratch.up("DROP TABLE t;"))]))
        let declared = Scratch.up("-- lockstep: allow loss of table t\nDROP TABLE t;")
        try migrate(set([first, ("0002_b.sql", declared)]))
    }

    @Test("A statement that fails: fix the statement")
    func statement() throws {
        try refused(
            "fix the statement; no part of this version was applied",
            set([first, ("0002_b.sql", Scratch.up("CREATE TABLE b (x);\nINSERT INTO nowhere VALUES (1);"))]))
        try migrate(set([first, ("0002_b.sql", Scratch.up("CREATE TABLE b (x);\nINSERT INTO b VALUES (1);"))]))
    }

    @Test(
        "A begun version whose file is gone: restore it, or give the version up",
        arguments: [true, false])
    func begunAndGone(isRestored: Bool) throws {
        let both = try set([first, ("0002_b.sql", Scratch.up(Self.fill))])
        try stopped(both)
        try refused("restore the file, or give the version up", set([first]))
        if isRestored {
            try migrate(both)
        } else {
            try abandon()
            try migrate(set([first]))
        }
    }

    @Test(
        "A begun version without a way down: add one, or give the version up",
        arguments: [true, false])
    func begunWithoutWayDown(isAdded: Bool) throws {
        let both = try set([first, ("0002_b.sql", Scratch.up(Self.fill))])
        try stopped(both)
        try refused("add a way down to its file, or give the version up", both, .back(1))
        if isAdded {
            let down = Scratch.up(Self.fill, down: "UPDATE t SET n = id;")
            try migrate(set([first, ("0002_b.sql", down)]), .back(1))
            #expect(try Scratch.int(connection, "SELECT count(*) FROM t WHERE n = id") == 3)
        } else {
            try abandon()
        }
        try migrate(set([first]), .back(1))
        #expect(try Ledger.entries(connection).isEmpty)
    }

    @Test(
        "A begun version whose way down takes several transactions: finish it, or give it up",
        arguments: [true, false])
    func longWayDown(isFinished: Bool) throws {
        let both = try set([first, ("0002_b.sql", Scratch.up(Self.fill, down: Self.fill))])
        try stopped(both)
        try refused("finish it with a migration, then roll it back; or give the version up", both, .back(1))
        if isFinished {
            try migrate(both)
            try migrate(both, .back(1))
        } else {
            try abandon()
        }
        try migrate(both, .back(1))
        #expect(try Ledger.entries(connection).isEmpty)
    }

    @Test(
        "A version that is partly undone: roll back one version, or give the rollback up",
        arguments: [true, false])
    func partlyUndone(isRolledBack: Bool) throws {
        let both = try set([first, ("0002_b.sql", Scratch.up(Self.fill, down: Self.fill))])
        try migrate(both)
        try stopped(both, .back(1))
        try refused("finish the rollback by rolling back one version, then migrate; or give", both)
        if isRolledBack { try migrate(both, .back(1)) } else { try abandon() }
        try migrate(both)
        #expect(try Ledger.entries(connection).count == 2)
    }

    @Test(
        "A way down that only the ledger has: restore the file, or run the recorded one",
        arguments: [true, false])
    func recordedDown(isRestored: Bool) throws {
        try migrate(set([first]))
        let none = try set([])
        try refused("restore the file, or undo it with the recorded way down", none, .back(1))
        if isRestored {
            try migrate(set([first]), .back(1))
        } else {
            _ = try Migrator(none, recordedDown: .allowed).run(.back(1), on: connection)
        }
        #expect(try Ledger.entries(connection).isEmpty)
    }

    @Test("A rebuild that leaves out a column: say how it is computed, or that it is dropped") func rebuild() throws {
        try migrate(set([first]))
        func rebuilt(_ directive: String) -> (String, String) {
            (
                "0002_b.sql",
                Scratch.up("-- lockstep: rebuild table t\n\(directive)CREATE TABLE t (id INTEGER PRIMARY KEY);")
            )
        }
        try refused("`-- lockstep: drop column", set([first, rebuilt("")]))
        try migrate(set([first, rebuilt("-- lockstep: drop column n\n")]))
    }

    @Test("A statement that ends the transaction: remove it")
    func commit() throws {
        try refused("remove it", set([("0001_a.sql", Scratch.up("CREATE TABLE a (x);\nCOMMIT;"))]))
        try migrate(set([("0001_a.sql", Scratch.up("CREATE TABLE a (x);"))]))
    }

    @Test("Versions that are recorded already: migrate continues after them")
    func baseline() throws {
        try migrate(set([first]))
        let both = try set([first, ("0002_b.sql", Scratch.up("CREATE TABLE b (x);"))])
        let error = #expect(throws: LockstepError.self) {
            try Baseline(both, at: MigrationVersion(1)).record(on: connection)
        }
        #expect(error?.hint == "migrate continues after them")
        try migrate(both)
    }
}
