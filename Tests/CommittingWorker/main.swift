import Foundation
import Lockstep
import SystemPackage

// Commits or checkpoints in a process of its own, as fast as it can, beside another one that does so on the same file.
//
//   CommittingWorker checkpoint DATABASE KEYRING KEYFILE on|off MOST    PASSIVE checkpoints, until it is killed
//   CommittingWorker commit DATABASE KEYRING KEYFILE on|off MOST        a small commit and a large one after each
//   CommittingWorker forced-MODE DATABASE KEYRING KEYFILE on|off 1      a commit in the middle of a checkpoint, in the
//                                                                      database's folder
//   CommittingWorker notes DATABASE KEYRING KEYFILE on 1               notes, until DATABASE.stop is there
//   CommittingWorker store-N DATABASE KEYRING KEYFILE on|off MOST       a store whose row N counts its own writes
//
// With off nothing keeps a checkpoint from copying a log that began again. MOST is how many rounds, or for how many
// seconds with an s behind the number. What was acknowledged and is not there is printed as "lost …", and ends the work
// with 3. At the end stands "ROUNDS rounds, STOPS stopped".

struct Lost: Error {
    let what: String
}

struct Work {
    let path: FilePath
    let key: DatabaseKeySource
    let most: Most

    struct DatabaseKeySource {
        let keyring: FilePath
        let keyFile: FilePath

        func key() throws -> DatabaseKey {
            try KeyringFile(keyring).open { _ in try KeyFile.read(keyFile) }.databaseKey()
        }
    }

    /// How long to go on.
    enum Most {
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
            case .rounds(let most): count < most
            case .until(let end): ContinuousClock.now < end
            }
        }
    }

    private func open() throws -> Connection {
        var options = ConnectionOptions()
        options.synchronous = .normal
        return try Connection.open(path, key: key.key(), options: options)
    }

    /// Begins the log again as often as can be: all of it is copied before each commit.
    func commit() throws -> Int {
        let writer = try open()
        let reader = try open()
        var (rounds, value) = (0, 0)
        while most.goesOn(after: rounds) {
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

    /// Whether all of the log is in the file. Another checkpoint that is under way is an answer.
    private func isCopied(_ connection: borrowing Connection) throws -> Bool {
        do {
            return try connection.checkpoint(.passive).isComplete
        } catch let error where error.code == .busy {
            return false
        }
    }

    /// As a program does: its own row says how often it has written.
    func store(_ row: Int) throws -> Int {
        var options = StoreOptions()
        options.connection.synchronous = .normal
        options.connection.busyTimeout = .seconds(20)
        // Checkpoints go on all the time.
        options.checkpointPages = 60
        let store = try Store.open(path, key: key.key(), options: options)
        var rounds = 0
        while most.goesOn(after: rounds) {
            let expected = rounds
            try store.write { connection in
                let there = try connection.value(
                    "SELECT v FROM t WHERE a = ?", row, as: Int.self)
                guard there == expected else {
                    throw Lost(what: "row \(row) is \(there ?? -1) after \(expected) writes")
                }
                try connection.execute("UPDATE t SET v = v + 1 WHERE a = ?", row)
                let first = Int.random(in: 3...380)
                try connection.execute(
                    "UPDATE t SET pad = randomblob(3000) WHERE a BETWEEN ? AND ?", first,
                    first + (rounds % 4 == 0 ? 15 : rounds % 3))
            }
            rounds += 1
        }
        return rounds
    }
}

let arguments = CommandLine.arguments
guard arguments.count == 7, let most = Work.Most(arguments[6]) else { exit(64) }
if arguments[5] == "off" { turnFileGuardsOff() }
let work = Work(
    path: FilePath(arguments[2]),
    key: .init(keyring: FilePath(arguments[3]), keyFile: FilePath(arguments[4])), most: most)
if arguments[1] == "notes" {
    NoteWriter.run(work)
    exit(0)
}
do {
    if arguments[1].hasPrefix("forced-") {
        let mode: CheckpointMode =
            switch arguments[1] {
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
        switch arguments[1] {
        case "commit": try work.commit()
        case "checkpoint": try work.checkpoint()
        default: try work.store(Int(arguments[1].dropFirst("store-".count)) ?? 1)
        }
    print("\(rounds) rounds, \(checkpointGuardStops()) stopped")
} catch let lost as Lost {
    print("lost \(lost.what)")
    exit(3)
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
