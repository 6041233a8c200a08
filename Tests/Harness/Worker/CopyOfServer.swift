import Foundation
import Lockstep
import LockstepPostgres
import SystemPackage

/// A copy between a file and a server that is killed before a given step.
///
///     Worker server-copy server ADDRESS FOLDER EVENT [apart]
///     Worker server-copy file ADDRESS FOLDER EVENT
///
/// It copies FOLDER/data.db to the server, or the server to it, with the set in FOLDER/films, and kills itself, as
/// `kill -9` does, at the EVENTth step (from 0 on). It exits with 0 if the copy ends before that. With `apart` it is a
/// copy with a defect: it commits rows before it records them.
enum CopyOfServer {
    static func run(_ arguments: [String]) -> Never {
        guard arguments.count >= 4, let fatal = Int(arguments[3]) else { exit(64) }
        let folder = FilePath(arguments[2])
        let isToServer = arguments[0] == "server"
        do {
            let server = try ServerConnection(ServerAddress(arguments[1]))
            if arguments.last == "apart" { try commitFirst(server) }
            let set = try MigrationSet(folder: folder.appending("films"), engine: isToServer ? .postgres : .sqlite)
            let file = try Connection.open(folder.appending("data.db"), key: Migrations.key())
            let count = Count()
            var copy = ServerCopy([set])
            copy.chunk = 700
            copy.observe = { _ in
                if count.value == fatal { kill(getpid(), SIGKILL) }
                count.value += 1
            }
            _ = isToServer ? try copy.run(from: file, to: server) : try copy.run(from: server, to: file)
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
        exit(0)
    }

    /// The number of steps. A copy takes them one after another, on one thread.
    private final class Count: @unchecked Sendable {
        var value = 0
    }

    /// Adds a row to a copy in a transaction of its own, and dies before it records that.
    private static func commitFirst(_ server: borrowing ServerConnection) throws {
        try server.execute("INSERT INTO log VALUES ('a row that no record counts')")
        kill(getpid(), SIGKILL)
    }
}
