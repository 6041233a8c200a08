import FaultyWork
import Foundation
import SystemPackage
import TestSupport

@testable import Lockstep

// Migrates FOLDER/data.db by the set FOLDER/test in a process of its own, which meets with a fault at one of
// the system's calls that change files.
//
//   MigrationWorker plain FOLDER FAULT CALL          as a program does at its start
//   MigrationWorker plain-journal FOLDER FAULT CALL  the same with a rollback journal in the log's place
//   MigrationWorker apart FOLDER FAULT CALL          notes in a transaction of its own what was applied, which
//                                                    is wrong: tests must notice
//   MigrationWorker seal FOLDER FAULT CALL           as plain, with the keys of a dataset, version 1 active
//   MigrationWorker seal-rotated FOLDER FAULT CALL   the same, version 2 active
//   MigrationWorker safe FOLDER FAULT CALL           safely, as it is due
//   MigrationWorker die-migrating FOLDER FAULT CALL  the same, and kills itself when version 3 begins
//   MigrationWorker die-checking FOLDER FAULT CALL   the same, and kills itself in the program's own check
//   MigrationWorker fleet FOLDER FAULT CALL          as a fleet of one file, without a way back; makes a file
//                                                    FOLDER/told when its result is told
//   MigrationWorker fleet-read FOLDER FAULT CALL     the same beside a reader, who keeps the log from the file
//   MigrationWorker copy-back FOLDER FAULT CALL      puts the backup back in a wrong way: tests must notice
//
// FAULT and CALL are FaultyWork's.

func key() throws -> DatabaseKey {
    // As DatabaseScratch makes its key number 1.
    try DatabaseKey(
        secret: SecretBytes(copying: [UInt8](repeating: 1, count: 32).span),
        salt: (0..<16).map { 31 &+ $0 })
}

/// Opens the database with a cache so small that pages are written while statements run.
func open(_ database: FilePath, _ fields: [FieldKeys] = []) throws -> Connection {
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

func migratePlainly(_ action: String, _ database: FilePath, _ set: MigrationSet) throws {
    let connection = try open(database)
    if action == "plain-journal" {
        do {
            try connection.with(rights: .engine) {
                try connection.setPragma("journal_mode", "DELETE")
            }
        } catch let error as LockstepError {
            throw error.located("opening")
        }
    }
    if action == "apart" { return try migrateApart(connection, set) }
    _ = try Migrator(set).run(on: connection)
}

func migrateSealing(_ action: String, _ database: FilePath, _ set: MigrationSet) throws {
    let keys = try VictimKeys.make(active: action == "seal" ? 1 : 2)
    _ = try Migrator(set).run(on: open(database, [keys]))
}

/// Killed between the two transactions, the ledger does not know of what was applied.
func migrateApart(_ connection: borrowing Connection, _ set: MigrationSet) throws {
    let applied = Set(try Ledger.entries(connection).map(\.version))
    for file in set.files where !applied.contains(file.version) {
        try connection.write { try $0.run(script: file.up.text) }
        try connection.write { connection in
            try connection.with(rights: .engine) {
                try Ledger.record(.file(file), of: set.name, duration: 0, connection)
            }
        }
    }
}

func migrateSafely(_ action: String, _ database: FilePath, _ set: MigrationSet) throws {
    var migration = SafeMigration(of: database, sets: [set])
    // A sign of life of one who was killed is not waited for.
    migration.timeout = .zero
    migration.options.busyTimeout = .zero
    switch action {
    case "die-migrating":
        migration.observe = { event in
            if case .migrating(.began(_, MigrationVersion(3), _)) = event {
                kill(getpid(), SIGKILL)
            }
        }
    case "die-checking": migration.check = { _ in kill(getpid(), SIGKILL) }
    default: break
    }
    try migration.run(DatabaseAccess(key: key()))
}

func migrateFleet(_ database: FilePath, _ set: MigrationSet) throws {
    let fleet = FleetMigration(of: [database], sets: [set])
    _ = try fleet.run(access: { _ in try DatabaseAccess(key: key()) }) { result in
        if let error = result.error { throw error }
        let told = database.removingLastComponent().appending("told")
        try AtomicFile.create(told).close()
    }
}

/// Writes the backup's bytes over the database: killed in the midst of it, the file is neither.
func copyBack(_ database: FilePath, _ set: MigrationSet) throws {
    let backup = FilePath(database.string + ".backup")
    do { try Store.open(database, key: key()).backup(to: backup) }
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

FaultyWork.run { action, folder in
    let set = try MigrationSet(folder: folder.appending("test"))
    let database = folder.appending("data.db")
    switch action {
    case "plain", "plain-journal", "apart": try migratePlainly(action, database, set)
    case "seal", "seal-rotated": try migrateSealing(action, database, set)
    case "copy-back": try copyBack(database, set)
    case "fleet": try migrateFleet(database, set)
    case "fleet-read":
        let reader = try Connection.open(database, key: key())
        // A reader who needs nothing of the log keeps all of it from the file, and from being synced.
        try reader.read { reader in
            _ = try Ledger.entries(reader)
            try migrateFleet(database, set)
        }
    default: try migrateSafely(action, database, set)
    }
}
