import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Several sets in one database, one of which stopped midway.
@Suite("Sets beside an unfinished one")
struct TwoSetsTests {
    private let begun: MigrationSet
    private let other: MigrationSet
    private let database: DatabaseScratch

    /// The set `begun` has stopped in its only version; the first of two versions of `other` is applied.
    init() throws {
        begun = try MigrationSet(
            name: "begun",
            files: [
                (
                    name: "0001_a.sql",
                    content: Scratch.up(
                        """
                        CREATE TABLE a (id INTEGER PRIMARY KEY, n);
                        WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 20)
                            INSERT INTO a SELECT x, x FROM c;
                        -- lockstep: backfill a batch=4
                        UPDATE a SET n = n + 100 WHERE id BETWEEN :first AND :last;
                        """)
                )
            ])
        other = try MigrationSet(
            name: "other",
            files: [
                (name: "0001_b.sql", content: Scratch.up("CREATE TABLE b (x);", down: "DROP TABLE b;")),
                (name: "0002_c.sql", content: Scratch.up("CREATE TABLE c (x);", down: "DROP TABLE c;")),
            ])
        database = try DatabaseScratch()
        let connection = try database.create()
        _ = try Migrator(other).run(.version(MigrationVersion(1)), on: connection)
        var batches = 0
        let stopping = Migrator(begun) { event in
            guard case .backfilled = event else { return }
            batches += 1
            if batches == 3 { throw Stop() }
        }
        #expect(throws: Stop.self) { _ = try stopping.run(on: connection) }
        #expect(try MigrationProgress.all(connection).map(\.set) == ["begun"])
    }

    @Test("The other set migrates and goes back as if alone, and the first one finishes later") func otherSet() throws {
        let connection = try database.open()
        let plan = try Migrator(other).plan(.latest, on: connection)
        #expect(plan.findings.isEmpty, "\(plan.findings)")
        #expect(try Migrator(other).run(on: connection).steps.map(\.version.description) == ["2"])
        #expect(
            try Migrator(other).run(.back(2), on: connection).steps.map(\.version.description)
                == ["2", "1"])
        _ = try Migrator(other).run(on: connection)
        #expect(try MigrationProgress.all(connection).map(\.set) == ["begun"])
        _ = try Migrator(begun).run(on: connection)
        #expect(try Scratch.int(connection, "SELECT count(*) FROM a WHERE n = id + 100") == 20)
        #expect(try Ledger.entries(connection).count == 3)
    }

    @Test("A verification reports the unfinished set, and nothing else")
    func verification() throws {
        let report = try Verification(database.path, sets: [begun, other]).run(key: database.key())
        let ledger = try #require(report.outcomes.first { $0.check == .ledger })
        let failures = ledger.findings.filter(\.isFailure).map(\.message)
        #expect(failures.count == 1, "\(failures) \(report)")
        #expect(failures.first?.hasPrefix("begun 1 (a) was begun") == true)
    }
}
