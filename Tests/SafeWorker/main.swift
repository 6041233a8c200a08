import FaultyCalls
import Foundation
import SystemPackage

@testable import Lockstep

// Migrates FOLDER/data.db safely by the set FOLDER/test in a process of its own, which meets with a fault at
// one of the system's calls that change files.
//
//   SafeWorker migrate FOLDER FAULT CALL          as it is due
//   SafeWorker die-migrating FOLDER FAULT CALL    kills itself when version 3 begins
//   SafeWorker die-checking FOLDER FAULT CALL     kills itself in the program's own check
//   SafeWorker fleet FOLDER FAULT CALL            as a fleet of one file, without a way back; makes a file
//                                                 FOLDER/told when its result is told
//   SafeWorker fleet-read FOLDER FAULT CALL       the same beside a reader, who keeps the log from the file
//   SafeWorker copy-back FOLDER FAULT CALL        puts the backup back in a wrong way: tests must notice
//
// FAULT is kill, tear, lose, lie, once, staying or full; CALL counts from 1 on the calls to files in the
// folder. To lose power it needs a folder `lost` in FOLDER. Exits with 0 if the migration succeeded and with 1
// if it told of an error, and prints how many calls it made, and which.

func key() throws -> DatabaseKey {
    // As DatabaseScratch makes its key number 1.
    try DatabaseKey(
        secret: SecretBytes(copying: [UInt8](repeating: 1, count: 32).span),
        salt: (0..<16).map { 31 &+ $0 })
}

func migrate(_ action: String, _ database: FilePath, _ set: MigrationSet) throws {
    var migration = SafeMigration(of: database, sets: [set])
    // A sign of life of one who was killed is not waited for.
    migration.patience = .zero
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

let arguments = CommandLine.arguments
let faults = [
    "kill": CALLS_KILL, "tear": CALLS_TEAR, "once": CALLS_ONCE, "staying": CALLS_STAYING,
    "full": CALLS_FULL, "lose": CALLS_LOSE, "lie": CALLS_LIE,
]
guard arguments.count == 5, let fault = faults[arguments[3]], let call = Int32(arguments[4]) else {
    exit(64)
}
let folder = FilePath(arguments[2])
var status: Int32 = 0
unsafe folder.withPlatformString { unsafe faulty_calls_arm($0, Int32(fault), call) }
do {
    let set = try MigrationSet(folder: folder.appending("test"))
    let database = folder.appending("data.db")
    switch arguments[1] {
    case "copy-back": try copyBack(database, set)
    case "fleet": try migrateFleet(database, set)
    case "fleet-read":
        let reader = try Connection.open(database, key: key())
        // A reader who needs nothing of the log keeps all of it from the file, and from being synced.
        try reader.read { reader in
            _ = try Ledger.entries(reader)
            try migrateFleet(database, set)
        }
    default: try migrate(arguments[1], database, set)
    }
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    status = 1
}
print(faulty_calls_disarm())
print(unsafe String(cString: faulty_calls_trace()), terminator: "")
exit(status)
