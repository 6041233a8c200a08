import FaultyWork
import Foundation
import Lockstep
import SystemPackage

/// Migrates FOLDER/data.db with the set FOLDER/test in a separate process, with a fault at one of the system calls that
/// change files.
///
///     Worker migrates plain FOLDER FAULT CALL          as a program does when it starts
///     Worker migrates plain-journal FOLDER FAULT CALL  the same with a rollback journal instead of the log
///     Worker migrates apart FOLDER FAULT CALL          records applied versions in a separate transaction, which is
///                                                      wrong: tests must notice
///     Worker migrates seal FOLDER FAULT CALL           as plain, with the keys of the dataset `test`, whose keyring
///                                                      test.fields.keyring opens with my.key
///     Worker migrates seal-safe FOLDER FAULT CALL      the same, as SafeMigration does
///     Worker migrates safe FOLDER FAULT CALL           as SafeMigration does
///     Worker migrates die-migrating FOLDER FAULT CALL  the same, and kills itself when version 3 starts
///     Worker migrates die-checking FOLDER FAULT CALL   the same, and kills itself in the program's own check
///     Worker migrates fleet FOLDER FAULT CALL          as a fleet of one file, without a way back; makes a file
///                                                      `reported` in FOLDER when its result is reported
///     Worker migrates fleet-read FOLDER FAULT CALL     the same with a reader, which prevents checkpoints
///     Worker migrates copy-back FOLDER FAULT CALL      restores the backup in a wrong way: tests must notice
///
/// FAULT and CALL are those of FaultyWork.
enum Migrations {
    static func key() throws -> DatabaseKey {
        // The same key as number 1 of DatabaseScratch.
        try DatabaseKey(
            secret: SecretBytes(copying: [UInt8](repeating: 1, count: 32).span), salt: (0..<16).map { 31 &+ $0 })
    }

    /// Opens the database with a cache so small that pages are written while statements run.
    private static func open(_ database: FilePath, _ fields: [FieldKeys] = []) throws -> Connection {
        var options = ConnectionOptions()
        options.fieldKeys = fields
        if !fields.isEmpty { options.mayBeUnsealed = true }
        options.cacheBytes = 40 * 1024
        do {
            return try Connection.open(database, key: key(), options: options)
        } catch let error as LockstepError {
            throw error.located("opening")
        }
    }

    private static func migratePlainly(_ action: String, _ database: FilePath, _ set: MigrationSet) throws {
        let connection = try open(database)
        if action == "plain-journal" {
            do {
                try connection.with(rights: .engine) {
                    try connection.execute("PRAGMA journal_mode = DELETE")
                }
            } catch let error as LockstepError {
                throw error.located("opening")
            }
        }
        if action == "apart" {
            let folder = database.removingLastComponent().appending("test")
            return try migrateApart(connection, set, folder)
        }
        _ = try Migrator(set).run(on: connection)
    }

    private static func migrateSealing(
        _ action: String, _ database: FilePath, _ set: MigrationSet
    ) throws {
        let folder = database.removingLastComponent()
        let keyring = try KeyringFile.fields(of: "test", in: folder).open { _ in
            try KeyFile.read(folder.appending("my.key"))
        }
        let keys = try keyring.fieldKeys(named: "test")
        guard action == "seal" else { return try migrateSafely(action, database, set, [keys]) }
        _ = try Migrator(set).run(on: open(database, [keys]))
    }

    /// If killed between the two transactions, the ledger does not list the applied version.
    private static func migrateApart(
        _ connection: borrowing Connection, _ set: MigrationSet, _ folder: FilePath
    ) throws {
        let applied = Set(try Ledger.entries(connection).map(\.version))
        for file in set.files where !applied.contains(file.version) {
            let text = try Data(contentsOf: URL(filePath: folder.appending(file.fileName).string))
            try connection.write { try $0.run(script: String(decoding: text, as: UTF8.self)) }
            try connection.write { connection in
                try connection.with(rights: .engine) {
                    try Ledger.record(.file(file), of: set.name, duration: 0, connection)
                }
            }
        }
    }

    private static func migrateSafely(
        _ action: String, _ database: FilePath, _ set: MigrationSet, _ fields: [FieldKeys] = []
    ) throws {
        var migration = SafeMigration(of: database, sets: [set])
        migration.options.fieldKeys = fields
        if !fields.isEmpty { migration.options.mayBeUnsealed = true }
        // Does not wait for a heartbeat of a killed process.
        migration.timeout = .zero
        migration.options.busyTimeout = .zero
        if action == "die-checking" { migration.check = { _ in kill(getpid(), SIGKILL) } }
        try migration.run(DatabaseAccess(rawKey: key())) { progress in
            if action == "die-migrating", progress.phase == JobProgress.Phase("up", of: "test 3") {
                kill(getpid(), SIGKILL)
            }
        }
    }

    private static func migrateFleet(_ database: FilePath, _ set: MigrationSet) throws {
        let fleet = FleetMigration(of: [database], sets: [set])
        _ = try fleet.run(access: { _ in try DatabaseAccess(rawKey: key()) }) { result in
            if let error = result.error { throw error }
            let reported = database.removingLastComponent().appending("reported")
            try FileDescriptor.open(
                reported, .writeOnly, options: [.create, .exclusiveCreate], permissions: .ownerReadWrite
            ).close()
        }
    }

    /// Writes the backup's bytes over the database: if killed in the middle, the file is neither.
    private static func copyBack(_ database: FilePath, _ set: MigrationSet) throws {
        let backup = FilePath(database.string + ".backup")
        do { try Store.open(database, rawKey: key()).blocking.backup(to: backup) }
        do {
            _ = try Migrator(set).run(on: Connection.open(database, key: key()))
        } catch {
            let bytes = [UInt8](try Data(contentsOf: URL(filePath: backup.string)))
            let file = try FileDescriptor.open(database, .writeOnly, options: .truncate)
            for start in stride(from: 0, to: bytes.count, by: 4096) {
                _ = try file.writeAll(bytes[start..<(start + 4096)])
            }
            try file.close()
            throw error
        }
    }

    /// Works by the arguments after "migrates".
    static func run(_ arguments: [String]) -> Never {
        FaultyWork.run(arguments) { action, folder in
            let set = try MigrationSet(folder: folder.appending("test"))
            let database = folder.appending("data.db")
            switch action {
            case "plain", "plain-journal", "apart": try migratePlainly(action, database, set)
            case "seal", "seal-safe": try migrateSealing(action, database, set)
            case "copy-back": try copyBack(database, set)
            case "fleet": try migrateFleet(database, set)
            case "fleet-read":
                let reader = try Connection.open(database, key: key())
                // A reader that needs nothing from the log prevents checkpoints, and therefore syncs of the log.
                try reader.read { reader in
                    _ = try Ledger.entries(reader)
                    try migrateFleet(database, set)
                }
            default: try migrateSafely(action, database, set)
            }
        }
    }
}
