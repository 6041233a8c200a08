import Lockstep
import SystemPackage

/// The schedule that SQLite's own test of the race forces (walrestart.test): a commit that restarts the log runs when a
/// checkpointer has read one half of the data that it relies on.
struct ForcedRace {
    /// The result.
    struct Outcome {
        /// Rows that differ from the committed ones, after the file was closed and opened again.
        var wrong = 0
        /// Whether the commit ran in the middle of the checkpoint.
        var hasRun = false
        /// The error of the commit; nil if it succeeded.
        var refusal: String?
        /// Whether the checkpoint reports that it has copied everything.
        var isComplete = false
    }

    private static let rows = 80

    /// Makes a database in the folder, under an ephemeral key.
    static func run(_ mode: CheckpointMode, in folder: FilePath) throws -> Outcome {
        let path = folder.appending("forced.db")
        let key = try DatabaseKey.ephemeral()
        var options = ConnectionOptions()
        options.synchronous = .normal
        options.busyTimeout = .milliseconds(50)
        var outcome = Outcome()
        let wanted: [String]
        do {
            let one = try Connection.create(path, key: key, options: options)
            try one.execute("CREATE TABLE t (a INTEGER PRIMARY KEY, b)")
            for row in 1...rows {
                try one.execute("INSERT INTO t VALUES (?, randomblob(1800))", row)
            }
            let other = try Connection.open(path, key: key, options: options)
            try one.checkpoint(.passive)
            try other.execute("UPDATE t SET b = randomblob(1800)")
            guard try other.checkpoint(.passive).isComplete else { return outcome }
            withUnsafePointer(to: other) { other in
                UnfetchHook.install(one) {
                    outcome.hasRun = true
                    do {
                        try other.pointee.execute(
                            "UPDATE t SET b = randomblob(1800) WHERE a < 5")
                    } catch {
                        outcome.refusal = (error as? LockstepError)?.code.rawValue ?? "other"
                    }
                }
                outcome.isComplete = (try? one.checkpoint(mode))?.isComplete ?? false
            }
            try other.execute("UPDATE t SET b = randomblob(1800)")
            wanted = try values(other)
            try other.checkpoint(.passive)
        }
        let again = try Connection.open(path, key: key, options: options)
        let found = (try? values(again)) ?? []
        outcome.wrong =
            found.count == wanted.count ? zip(wanted, found).count { $0 != $1 } : rows
        return outcome
    }

    private static func values(_ connection: borrowing Connection) throws -> [String] {
        try connection.query("SELECT hex(b) FROM t NOT INDEXED ORDER BY a") { try $0[0] as String }
    }
}
