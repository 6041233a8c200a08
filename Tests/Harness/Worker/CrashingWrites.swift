import Foundation
import Lockstep
import SystemPackage

/// Writes to a store from eight tasks until it is killed, and prints the durable writes.
///
///     Worker crash-writes DATABASE KEYRING KEYFILE full|normal
///
/// Write number K of task T inserts three rows (T, K, 0…2), each with a check that follows from its numbers, and prints
/// the line "T K" afterwards. Occasionally a write inserts rows with a negative K and throws, or breaks a deferred
/// constraint, so that all writes that share its transaction run again.
enum CrashingWrites {
    private struct Stop: Error {}

    static func run(_ arguments: [String]) async -> Never {
        guard arguments.count == 4 else { exit(64) }
        do {
            let keyring = try KeyringFile(FilePath(arguments[1])).open { _ in
                try KeyFile.read(FilePath(arguments[2]))
            }
            var options = StoreOptions()
            options.connection.synchronous = arguments[3] == "full" ? .full : .normal
            // Checkpoints run continuously, so that many kills happen during one.
            options.checkpointPages = 50
            let store = try Store.open(FilePath(arguments[0]), rawKey: keyring.activeDatabaseKey(), options: options)

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
                            // Short enough for one atomic write to a pipe.
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
        exit(0)
    }
}
