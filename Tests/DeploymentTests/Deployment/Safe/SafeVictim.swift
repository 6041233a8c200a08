import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// A database at version 1 that Worker migrates safely, and the check that it is sound, whatever has happened
/// to a migration.
struct SafeVictim {
    static let rows = 400

    private let victim: MigrationVictim

    /// - Parameter scripts: The scripts of the set that the worker runs.
    init(_ scripts: [String]) throws {
        victim = try MigrationVictim(DeploymentScratch(rows: Self.rows).database, migratedBy: scripts)
    }

    init(copying other: SafeVictim) throws { victim = try MigrationVictim(copying: other.victim) }

    var database: DatabaseScratch { victim.database }
    var folder: TemporaryFolder { victim.database.folder }
    var names: [String] { get throws { try victim.names } }
    private var set: MigrationSet { get throws { try victim.set } }

    /// Runs the worker; returns its outcome, and its calls if it survived.
    func run(
        _ action: String, _ fault: String = "kill", at call: Int = .max >> 33
    ) async throws -> FaultyWorker.Run { try await victim.run(action, fault, at: call) }

    /// Creates the folder that a simulated loss of power needs.
    func makeLost() throws { try victim.makeLost() }

    // MARK: What must hold

    /// The number of applied versions.
    func version() throws -> Int { try Ledger.entries(database.open()).count }

    /// The defects of the database; none, whatever has happened. Every page verifies, every row is
    /// there, and the schema is that of the versions in the ledger.
    func findFault() throws -> String? {
        do {
            let connection = try database.open()
            guard try PageAudit(database.path).run(key: database.key()).isClean else {
                return "pages that do not verify"
            }
            try IntegrityPragma.require(connection)
            let applied = try Ledger.entries(connection).count
            guard applied >= 1 else { return "no ledger" }
            guard try SchemaSnapshot(connection).differences(from: Self.fresh[applied - 1]).isEmpty
            else { return "another schema than that of \(applied) versions" }
            return try findMissingRows(connection, applied)
        } catch let error as LockstepError {
            return "it does not open: \(error)"
        }
    }

    private func findMissingRows(
        _ connection: borrowing Connection, _ applied: Int
    ) throws -> String? {
        let rows = try Scratch.int(connection, "SELECT count(*) FROM item WHERE body LIKE '%' || (id - 1)")
        guard rows == Self.rows else { return "\(rows as Any) rows" }
        if applied > 1 {
            let sized = try Scratch.int(connection, "SELECT count(*) FROM item WHERE size = length(body)")
            guard sized == Self.rows else { return "\(sized as Any) rows of version 2" }
        }
        guard applied > 2 else { return nil }
        let tags = try Scratch.int(connection, "SELECT count(*) FROM tag")
        return tags == 2 ? nil : "\(tags as Any) rows of version 3"
    }

    /// The schema of each version.
    private static let fresh: [SchemaSnapshot] = {
        let scripts = [
            DeploymentScratch.first, DeploymentScratch.second, DeploymentScratch.third,
        ]
        return (1...3).compactMap { count in
            guard let connection = try? Connection.inMemory() else { return nil }
            _ = try? Migrator(Scratch.set(Array(scripts.prefix(count)))).run(on: connection)
            return try? SchemaSnapshot(connection)
        }
    }()

    func expectNoFault(_ context: Comment) throws {
        let fault = try findFault()
        #expect(fault == nil, context)
    }

    /// Expects that the next run of the same set ends as it should, and that one of a good set succeeds
    /// and leaves nothing except backups, no more than the retention allows.
    func expectCompletion(_ context: Comment) throws {
        let before = try version()
        var report = SafeMigrationReport()
        do {
            try SafeMigration(of: database.path, sets: [set]).run(DatabaseAccess(rawKey: database.key()), into: &report)
        } catch let error as LockstepError {
            #expect([.rolledBack, .restored].contains(report.outcome), "\(error)")
            let due = report.recovery == .restored ? 1 : before
            #expect(try version() == due, context)
        }
        try expectNoFault(context)
        let last = try SafeMigration(of: database.path, sets: [DeploymentScratch.good()]).run(
            DatabaseAccess(rawKey: database.key()))
        #expect([.migrated, .nothingToDo].contains(last.outcome), context)
        #expect(try version() == 3, context)
        try expectNoFault(context)
        let others = try names.filter {
            !$0.hasSuffix(".before-migration") && !$0.hasSuffix(".custody")
        }
        #expect(others == ["data.db"], context)
        #expect(try names.count <= 5, context)
    }
}
