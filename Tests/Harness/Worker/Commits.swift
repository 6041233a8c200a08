import Foundation
import Lockstep
import SystemPackage

/// Commits or checkpoints in a separate process, at full speed, while another process does so on the same file.
///
///     Worker commits checkpoint DATABASE KEYRING KEYFILE on|off MAXIMUM  PASSIVE checkpoints, until it is killed
///     Worker commits commit DATABASE KEYRING KEYFILE on|off MAXIMUM      a small commit and a large one after each
///     Worker commits forced-MODE DATABASE KEYRING KEYFILE on|off 1       a commit in the middle of a checkpoint, in
///                                                                        the database's folder
///     Worker commits notes DATABASE KEYRING KEYFILE on 1                 notes, until DATABASE.stop exists
///     Worker commits store-N DATABASE KEYRING KEYFILE on|off MAXIMUM     a store whose row N counts its own writes
///
/// With `off` nothing keeps a checkpoint from copying a log that restarted. MAXIMUM is a number of rounds, or a number
/// of seconds with the suffix s. A missing row that was acknowledged is printed as "lost …", and the worker exits with
/// 3. Its last line is "ROUNDS rounds, STOPS stopped".
struct Commits {
    let path: FilePath
    let key: DatabaseKeySource
    let maximum: Maximum

    struct Lost: Error {
        let what: String
    }

    struct DatabaseKeySource {
        let keyring: FilePath
        let keyFile: FilePath

        func key(of path: FilePath) throws -> DatabaseKey {
            try KeyringFile(keyring).open { _ in try KeyFile.read(keyFile) }.databaseKey(for: path)
        }
    }

    /// The duration of the work.
    enum Maximum {
        case rounds(Int)
        case until(ContinuousClock.Instant)

        init?(_ text: String) {
            if text.hasSuffix("s"), let seconds = Int(text.dropLast()) {
                self = .until(ContinuousClock.now + .seconds(seconds))
            } else if let rounds = Int(text) {
                self = .rounds(rounds)
            } else {
                return nil
            }
        }

        func goesOn(after count: Int) -> Bool {
            switch self {
            case .rounds(let maximum): count < maximum
            case .until(let end): ContinuousClock.now < end
            }
        }
    }

    private func open() throws -> Connection {
        var options = ConnectionOptions()
        options.synchronous = .normal
        return try Connection.open(path, key: key.key(of: path), options: options)
    }

    /// Restarts the log as often as possible: all of it is copied before each commit.
    func commit() throws -> Int {
        let writer = try open()
        let reader = try open()
        var (rounds, value) = (0, 0)
        while maximum.goesOn(after: rounds) {
            for _ in 0..<50 where try isCopied(reader) { break }
            value += 1
            try writer.execute("UPDATE t SET v = ? WHERE a = 1", value)
            value += 1
            try writer.execute("UPDATE t SET v = ?", value)
            rounds += 1
            let there = try reader.value(
                "SELECT count(*) FROM t WHERE v = ?", value, as: Int.self)
            guard there == 24 else {
                throw Lost(what: "\(there ?? 0) of 24 rows are there in round \(rounds)")
            }
        }
        return rounds
    }

    func checkpoint() throws -> Int {
        let connection = try open()
        var rounds = 0
        while true {
            _ = try isCopied(connection)
            rounds += 1
        }
    }

    /// Whether the whole log is in the file. A concurrent checkpoint is an acceptable answer.
    private func isCopied(_ connection: borrowing Connection) throws -> Bool {
        do {
            return try connection.checkpoint(.passive).isComplete
        } catch let error where error.code == .busy {
            return false
        }
    }

    /// Works as a program does: its own row counts its writes.
    func store(_ row: Int) throws -> Int {
        var options = StoreOptions()
        options.connection.synchronous = .normal
        options.connection.busyTimeout = .seconds(20)
        // Checkpoints run continuously.
        options.checkpointPages = 60
        let store = try Store.open(path, rawKey: key.key(of: path), options: options)
        var rounds = 0
        while maximum.goesOn(after: rounds) {
            let expected = rounds
            try store.blocking.write { connection in
                let there = try connection.value(
                    "SELECT v FROM t WHERE a = ?", row, as: Int.self)
                guard there == expected else {
                    throw Lost(what: "row \(row) is \(there ?? -1) after \(expected) writes")
                }
                try connection.execute("UPDATE t SET v = v + 1 WHERE a = ?", row)
                // Scattered over the rows 3 to 380, and the same in each run.
                let first = 3 + (rounds * 7919 + row * 101) % 378
                try connection.execute(
                    "UPDATE t SET pad = randomblob(3000) WHERE a BETWEEN ? AND ?", first,
                    first + (rounds % 4 == 0 ? 15 : rounds % 3))
            }
            rounds += 1
        }
        return rounds
    }

    /// Works by the arguments after "commits".
    static func run(_ arguments: [String]) -> Never {
        guard arguments.count == 6, let maximum = Maximum(arguments[5]) else { exit(64) }
        if arguments[4] == "off" { turnFileGuardsOff() }
        let work = Commits(
            path: FilePath(arguments[1]), key: .init(keyring: FilePath(arguments[2]), keyFile: FilePath(arguments[3])),
            maximum: maximum)
        if arguments[0] == "notes" {
            NoteWriter.run(work)
            exit(0)
        }
        do {
            if arguments[0].hasPrefix("forced-") {
                let mode: CheckpointMode =
                    switch arguments[0] {
                    case "forced-full": .full
                    case "forced-truncate": .truncate
                    default: .passive
                    }
                let outcome = try ForcedRace.run(mode, in: work.path.removingLastComponent())
                print(
                    "\(outcome.wrong) wrong, \(outcome.hasRun ? "run" : "not run"), \(outcome.refusal ?? "accepted"), "
                        + "\(outcome.isComplete ? "complete" : "stopped"), \(checkpointGuardStops())")
                exit(0)
            }
            let rounds =
                switch arguments[0] {
                case "commit": try work.commit()
                case "checkpoint": try work.checkpoint()
                default: try work.store(Int(arguments[0].dropFirst("store-".count)) ?? 1)
                }
            print("\(rounds) rounds, \(checkpointGuardStops()) stopped")
        } catch let lost as Lost {
            print("lost \(lost.what)")
            exit(3)
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
        exit(0)
    }
}
