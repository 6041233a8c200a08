import Foundation
import Subprocess
import SystemPackage
import TestSupport
import Testing

@testable import Lockstep

/// A database at version 1 for SafeWorker, with the set that it migrates by, and the check that everything is
/// as it should be whatever has happened to a migration.
struct SafeVictim {
    /// A call that changes a file; of those that do the same to the same file in turn the first.
    struct Call: Equatable {
        let number: Int
        let action: String
        let name: String
    }

    /// What the worker did.
    enum Outcome: Equatable {
        case killed, failed
        case succeeded
    }

    static let rows = 400

    let database: DatabaseScratch
    private let scripts: [String]

    /// - Parameter scripts: Of the set that the worker migrates by.
    init(_ scripts: [String]) throws {
        let original = try DeploymentScratch(rows: Self.rows)
        self.scripts = scripts
        database = original.database
        try writeSet()
    }

    init(copying other: SafeVictim) throws {
        scripts = other.scripts
        database = try DatabaseScratch()
        try Bytes.write(other.database.bytes, to: database.path)
        try writeSet()
    }

    private func writeSet() throws {
        let folder = database.folder.file("test")
        try FileManager.default.createDirectory(
            atPath: folder.string, withIntermediateDirectories: false)
        for (index, script) in scripts.enumerated() {
            try Bytes.write(Array(script.utf8), to: folder.appending("000\(index + 1)_step.sql"))
        }
    }

    var set: MigrationSet { get throws { try Scratch.set(scripts) } }

    var folder: TemporaryFolder { database.folder }

    /// The names beside the set's and the lock file's.
    var names: [String] {
        get throws {
            try database.names.filter { !$0.hasSuffix("-lock") && $0 != "test" && $0 != "lost" }
        }
    }

    // MARK: The worker

    /// Runs the worker; gives what it did, and if it lived, its calls.
    func run(
        _ action: String, _ fault: String = "kill", at call: Int = .max >> 33
    ) async throws -> (Outcome, count: Int, calls: [Call]) {
        let result = try await Subprocess.run(
            .path(Programs.path("SafeWorker")),
            arguments: [action, folder.path.string, fault, "\(call)"],
            output: .string(limit: 100_000), error: .string(limit: 10_000))
        let lines = result.standardOutput.split(separator: "\n").map { $0.split(separator: " ") }
        let count = lines.first.flatMap { Int($0[0]) } ?? 0
        let calls = lines.dropFirst().map { words in
            Call(number: Int(words[0]) ?? 0, action: String(words[1]), name: String(words[2]))
        }
        switch result.terminationStatus {
        case .signaled(SIGKILL): return (.killed, 0, [])
        case .exited(0): return (.succeeded, count, calls)
        case .exited(1): return (.failed, count, calls)
        default:
            Issue.record("\(result.terminationStatus): \(result.standardError)")
            return (.failed, 0, [])
        }
    }

    /// Makes the folder that a loss of power needs.
    func makeLost() throws {
        try FileManager.default.createDirectory(
            atPath: folder.file("lost").string, withIntermediateDirectories: false)
    }

    // MARK: What must hold

    /// How many versions are applied.
    func version() throws -> Int { try Ledger.entries(database.open()).count }

    /// What is wrong with the database: nothing, whatever has happened. Every page verifies, every row is
    /// there, and the schema is that of the versions in the ledger.
    func findFault() throws -> String? {
        do {
            let connection = try database.open()
            guard try PageAudit.run(database.path, key: database.key()).isClean else {
                return "pages that do not verify"
            }
            try IntegrityAnswer.require(connection)
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
        let rows = try Scratch.int(
            connection, "SELECT count(*) FROM item WHERE body LIKE '%' || (id - 1)")
        guard rows == Self.rows else { return "\(rows as Any) rows" }
        if applied > 1 {
            let sized = try Scratch.int(
                connection, "SELECT count(*) FROM item WHERE size = length(body)")
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

    /// Expects that the next run of the same set ends as it should, and that one of a good set gets through,
    /// and leaves nothing behind but backups, of which there are not more than are kept.
    func expectCompletion(_ context: Comment) throws {
        let before = try version()
        var report = SafeMigrationReport()
        do {
            try SafeMigration(of: database.path, sets: [set]).run(
                DatabaseAccess(key: database.key()), into: &report)
        } catch let error as LockstepError {
            #expect([.rolledBack, .restored].contains(report.outcome), "\(error)")
            let due = report.recovery == .restored ? 1 : before
            #expect(try version() == due, context)
        }
        try expectNoFault(context)
        let last = try SafeMigration(of: database.path, sets: [DeploymentScratch.good()]).run(
            DatabaseAccess(key: database.key()))
        #expect([.migrated, .nothingToDo].contains(last.outcome), context)
        #expect(try version() == 3, context)
        try expectNoFault(context)
        let others = try names.filter { !$0.hasSuffix(".before-migration") }
        #expect(others == ["data.db"], context)
        #expect(try names.count <= 4, context)
    }
}
