import Lockstep
import SystemPackage
import TestSupport

@testable import LockstepPostgres

/// An encrypted file, as the suites for both engines use it.
final class FileDatabase: EngineDatabase {
    private let folder: TemporaryFolder
    private let path: FilePath
    private let keys: [FieldKeys]
    private let connection: Connection

    init(_ keys: FieldKeys?) throws {
        folder = try TemporaryFolder()
        path = folder.path.appending("films.db")
        self.keys = keys.map { [$0] } ?? []
        var options = ConnectionOptions()
        options.fieldKeys = self.keys
        options.mayBeUnsealed = true
        connection = try Connection.create(path, key: CopyScratch.key(), options: options)
    }

    private init(_ folder: TemporaryFolder, _ path: FilePath) throws {
        (self.folder, self.path, keys) = (folder, path, [])
        connection = try Connection.open(path, key: CopyScratch.key())
    }

    func withoutKeys() throws -> any EngineDatabase { try FileDatabase(folder, path) }

    private func migrator(_ settings: RunSettings) -> Migrator {
        Migrator(
            settings.set, allowsOutOfOrder: settings.allowsOutOfOrder, recordedDown: settings.recordedDown)
    }

    func run(_ target: Plan.Target, _ settings: RunSettings, into report: inout MigrationReport) throws {
        try migrator(settings).run(target, on: connection, into: &report)
    }

    func plan(_ target: Plan.Target, _ settings: RunSettings) throws -> Plan {
        try migrator(settings).plan(target, on: connection)
    }

    func history() throws -> MigrationHistory { try Ledger.history(connection) }

    func baseline(_ set: MigrationSet, at version: UInt64) throws -> Int {
        // A server's schema is not compared.
        try Baseline(set, at: MigrationVersion(version), acceptsDifferences: true).record(on: connection)
    }

    func abandon(_ version: UInt64, of set: String) throws {
        let all = try Ledger.unfinished(connection)
        let one = all.first { $0.set == set && $0.version == MigrationVersion(version) }
        guard let one else { throw LockstepError(.notFound, "version \(version) is not begun") }
        try one.abandon(on: connection)
    }

    func verify(_ sets: [MigrationSet]?) throws -> VerificationReport {
        var verification = sets.map { Verification(path, sets: $0) } ?? Verification(path)
        verification.fieldKeys = keys
        return try verification.run(key: CopyScratch.key())
    }

    func rehearse(_ sets: [MigrationSet]) throws -> RehearsalReport {
        try Rehearsal(of: path, sets: sets).run(DatabaseAccess(rawKey: CopyScratch.key()))
    }

    func execute(_ sql: String) throws {
        try connection.with(rights: .engine) { try connection.execute(SQL(verbatim: sql)) }
    }

    func numbers(_ sql: String) throws -> [Int64] {
        try connection.query(SQL(verbatim: sql)) { row in try row[0] }
    }

    func tables() throws -> [String] {
        try connection.query(
            """
            SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'lockstep\\_%' ESCAPE '\\'
                AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name
            """
        ) { row in try row[0] }
    }

    var progressTable: String { "lockstep_progress" }

    func literal(_ bytes: [UInt8]) -> String { "x'\(Hex.encode(bytes))'" }
}
