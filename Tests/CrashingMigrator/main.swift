import Foundation
import Lockstep
import SystemPackage

// A migration that is killed at a given event, without any chance to clean up.
//
//   CrashingMigrator DATABASE KEYRING KEYFILE FOLDER EVENT
//
// Runs the set in FOLDER to its newest version and kills itself, as `kill -9` would, when event number
// EVENT (from 0 on) is told. Exits with 0 if the run ended before that.

let arguments = CommandLine.arguments
guard arguments.count == 6, let fatal = Int(arguments[5]) else { exit(64) }

do {
    let keyring = try KeyringFile(FilePath(arguments[2])).open { _ in
        try KeyFile.read(FilePath(arguments[3]))
    }
    let connection = try Connection.open(FilePath(arguments[1]), key: keyring.databaseKey())
    var count = 0
    let migrator = Migrator(try MigrationSet(folder: FilePath(arguments[4]))) { _ in
        if count == fatal { kill(getpid(), SIGKILL) }
        count += 1
    }
    _ = try migrator.run(on: connection)
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
