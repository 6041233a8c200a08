import Foundation
import Lockstep
import SystemPackage

// Writes to a store from eight tasks until it is killed, and says on standard output what is durable.
//
//   CrashingWriter DATABASE KEYRING KEYFILE full|normal
//
// Write number K of task T inserts three rows (T, K, 0…2), each with a check that follows from its
// numbers, and is followed by the line "T K". Now and then a write inserts rows with a negative K and
// throws, or breaks a deferred constraint so that all who share its transaction run again.

struct Stop: Error {}

let arguments = CommandLine.arguments
guard arguments.count == 5 else { exit(64) }

do {
    let keyring = try KeyringFile(FilePath(arguments[2])).open { _ in
        try KeyFile.read(FilePath(arguments[3]))
    }
    var options = StoreOptions()
    options.connection.synchronous = arguments[4] == "full" ? .full : .normal
    // Checkpoints go on all the time, so that many a kill comes in the middle of one.
    options.checkpointPages = 50
    let store = try Store.open(
        FilePath(arguments[1]), key: keyring.databaseKey(), options: options)

    @Sendable func insert(
        _ connection: borrowing Connection, _ task: Int, _ number: Int
    ) throws {
        for part in 0..<3 {
            // From a few bytes to several pages.
            let size = number * 7919 % 40 == 0 ? 9000 : number % 50
            try connection.execute(
                "INSERT INTO entry VALUES (?, ?, ?, ?, zeroblob(?))", task, number, part,
                task * 1_000_003 + number * 31 + part, size)
        }
    }

    await withTaskGroup(of: Void.self) { group in
        for task in 0..<8 {
            group.addTask {
                for number in 0... {
                    do {
                        try await store.write { try insert($0, task, number) }
                    } catch {
                        FileHandle.standardError.write(Data("\(error)\n".utf8))
                        exit(1)
                    }
                    // Short enough that a pipe takes it whole.
                    let line = "\(task) \(number)\n"
                    _ = try? FileDescriptor.standardOutput.writeAll(line.utf8)
                    switch number % 10 {
                    case 3:
                        try? await store.write { connection in
                            try insert(connection, task, -number)
                            throw Stop()
                        }
                    case 7:
                        try? await store.write { connection in
                            try insert(connection, task, -number)
                            try connection.execute("INSERT INTO orphan VALUES (1)")
                        }
                    default: break
                    }
                }
            }
        }
    }
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
