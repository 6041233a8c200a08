import Foundation
import Lockstep
import LockstepPostgres
import SystemPackage

/// A migration of a server whose runner is killed before a given statement, record or commit.
///
///     Worker server-migration ADDRESS FOLDER EVENT [apart]
///
/// It migrates to the newest version of the set in FOLDER and kills itself, as `kill -9` does, at the EVENTth event
/// (from 0 on). It exits with 0 if the migration ends before that. With `apart` it is a runner with a defect: it
/// commits a version before it records it.
enum ServerMigration {
    static func run(_ arguments: [String]) -> Never {
        guard arguments.count >= 3, let fatal = Int(arguments[2]) else { exit(64) }
        do {
            let connection = try ServerConnection(ServerAddress(arguments[0]))
            let set = try MigrationSet(folder: FilePath(arguments[1]), engine: .postgres)
            if arguments.last == "apart" { try commitFirst(of: set, connection) }
            var count = 0
            let migrator = ServerMigrator(set) { _ in
                if count == fatal { kill(getpid(), SIGKILL) }
                count += 1
            }
            _ = try migrator.run(on: connection)
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
        exit(0)
    }

    /// Runs the first version in a transaction of its own, and dies.
    private static func commitFirst(
        of set: MigrationSet, _ connection: borrowing ServerConnection
    ) throws {
        try connection.transaction { connection in
            // The scripts of that test have no semicolon elsewhere.
            for sql in set.files[0].up.text.split(separator: ";") {
                try connection.execute(ServerSQL(verbatim: String(sql)))
            }
        }
        kill(getpid(), SIGKILL)
    }
}
