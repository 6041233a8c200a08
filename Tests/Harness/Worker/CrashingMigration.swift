import Foundation
import Lockstep
import SystemPackage

/// A migration that is killed at a given event, without any chance to clean up.
///
///     Worker crash-migration DATABASE KEYRING KEYFILE FOLDER EVENT
///
/// It migrates to the newest version of the set in FOLDER and kills itself, as `kill -9` does, when the migrator
/// reports progress for the EVENTth time (from 0 on). It exits with 0 if the migration ends before that.
enum CrashingMigration {
    static func run(_ arguments: [String]) -> Never {
        guard arguments.count == 5, let fatal = Int(arguments[4]) else { exit(64) }
        do {
            let keyring = try KeyringFile(FilePath(arguments[1])).open { _ in
                try KeyFile.read(FilePath(arguments[2]))
            }
            let connection = try Connection.open(FilePath(arguments[0]), key: keyring.activeDatabaseKey())
            var count = 0
            let migrator = Migrator(try MigrationSet(folder: FilePath(arguments[3])))
            _ = try migrator.run(on: connection) { _ in
                if count == fatal { kill(getpid(), SIGKILL) }
                count += 1
            }
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
        exit(0)
    }
}
