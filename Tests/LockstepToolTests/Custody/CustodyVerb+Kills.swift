import SystemPackage
import TestSupport

@testable import EngineTestSupport
@testable import Lockstep
@testable import LockstepTool

/// What kills and damaged logs leave.
extension CustodyVerb {
    /// A change of cells that is killed between two batches, after which no keyring remembers anything.
    static let kills: [CustodyVerb] = ["a", "b"].flatMap { name in
        [
            killed("seal", name) { try $0.protect("ssn", of: "person", keys: $1, batch: 1, progress: $2) },
            killed("unseal", name) { try $0.unprotect("ssn", of: "person", keys: $1, batch: 1, progress: $2) },
            killed("reseal", name) { try $0.reseal("ssn", of: "person", keys: $1, batch: 1, progress: $2) },
        ]
    }

    private static func killed(
        _ verb: String, _ name: String,
        _ change: @escaping @Sendable (borrowing Connection, FieldKeys, JobProgress.Handler) throws -> SealingReport
    ) -> CustodyVerb {
        CustodyVerb("kill \(verb) \(name)") { bench, _ in
            try require([name], bench)
            let session = try bench.access("\(name).db", keyring(of: name, bench), fields: true).session()
            let connection = try session.connect()
            guard let keys = connection.sealed?.allKeys.first else { throw NotNow() }
            var batches = 0
            do {
                _ = try withoutActuallyEscaping({ (_: JobProgress) throws in
                    batches += 1
                    if batches == 2 { throw Stop() }
                }) { try change(connection, keys, $0) }
            } catch is Stop {}
        }
    }

    /// A program is killed with a commit in its log, of which a bit changes then; the next opening sets the log aside. Its
    /// row is one of the log alone.
    static let logAside = CustodyVerb("log aside a") { bench, truth in
        try require(["a", "!a.db.damaged-1"], bench)
        let log = "a.db-wal"
        let session = try bench.access("a.db", keyring(of: "a", bench), fields: false).session()
        var killed: [(String, [UInt8])] = []
        do {
            let connection = try session.connect()
            try connection.execute("CREATE TABLE IF NOT EXISTS kept (x)")
            try connection.checkpoint(.truncate)
            try connection.execute("INSERT INTO kept VALUES ('in the log')")
            killed = try ["a.db", log].map { ($0, try Bytes.read(bench.path($0))) }
        }
        try bench.remove("a.db")
        for (name, bytes) in killed {
            var bytes = bytes
            // A checksum in the header of the first frame.
            if name == log { bytes[LogFile.header + 20] ^= 1 }
            try bench.folder.write(name, bytes)
        }
        do { _ = try session.connect() }
        guard bench.exists("a.db.damaged-1") else { throw NotNow() }
        truth["a.db.damaged-1"] = ["in the log"]
    }

    /// Verbs after which a database is another one than its keyrings know, or they are older: that it is refused is no false
    /// alarm.
    private static let excuses = [
        "a.db": [
            "cp c a", "mv d a", "mv c a", "mv a d", "rm a", "exchange a b", "restore c a", "restore d a", "older",
            "newest",
            "destroy",
        ],
        "b.db": ["cp a b", "exchange a b", "restore c b", "older", "newest", "destroy"],
    ]

    /// The databases that every command must open after these verbs.
    static func untouched(by path: [String]) -> [String] {
        excuses.keys.sorted().filter { name in
            !path.contains { verb in excuses[name, default: []].contains { verb.contains($0) } }
        }
    }
}
