import FoundationEssentials
import Lockstep
import SystemPackage

/// A database to measure on, in a temporary folder of its own.
final class Workbench {
    static let openings = 100

    let rows: Int
    private let folder: FilePath
    private let path: FilePath
    private let keyring: Keyring

    /// A row, as a program would hold it.
    struct Record {
        let id: Int64
        let numbers: (Int64, Int64, Int64, Int64)
        let ratio: Double
        let first: String
        let second: String
        let bytes: [UInt8]
    }

    init(rows: Int) throws {
        self.rows = rows
        let manager = FileManager.default
        let url = manager.temporaryDirectory.appending(path: "lockstep-bench-\(UUID().uuidString)")
        try manager.createDirectory(at: url, withIntermediateDirectories: true)
        folder = FilePath(url.path)
        path = folder.appending("bench.db")
        keyring = try Keyring.create(.database)
        let connection = try Connection.create(path, key: keyring.databaseKey())
        try connection.execute(
            """
            CREATE TABLE record (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER, c INTEGER, d INTEGER,
                ratio REAL, first TEXT, second TEXT, bytes BLOB)
            """)
        try fill(connection)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder.string) }

    func measureOpening() throws -> Duration {
        let key = try keyring.databaseKey()
        return try ContinuousClock().measure {
            for _ in 0..<Self.openings {
                let connection = try Connection.open(path, key: key, options: options)
                _ = try connection.value("SELECT count(*) FROM sqlite_schema", as: Int64.self)
            }
        }
    }

    func measureInserting() throws -> Duration {
        let connection = try Connection.open(path, key: keyring.databaseKey(), options: options)
        try connection.execute("DELETE FROM record")
        return try ContinuousClock().measure { try fill(connection) }
    }

    func measureScanning() throws -> Duration {
        let connection = try Connection.open(path, key: keyring.databaseKey(), options: options)
        var records: [Record] = []
        records.reserveCapacity(rows)
        return try ContinuousClock().measure {
            let statement = try connection.prepare("SELECT * FROM record")
            try statement.forEach { row in
                records.append(
                    Record(
                        id: try row[0],
                        numbers: (try row[1], try row[2], try row[3], try row[4]),
                        ratio: try row[5], first: try row[6], second: try row[7],
                        bytes: try row[8]))
            }
        }
    }

    private var options: ConnectionOptions {
        var options = ConnectionOptions()
        options.synchronous = .normal
        return options
    }

    private func fill(_ connection: borrowing Connection) throws {
        try connection.write { connection in
            let insert = try connection.prepare(
                "INSERT INTO record VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
            for id in 1...rows {
                try insert.run(
                    id, id &* 7, id &* 11, id &* 13, id &* 17, Double(id) / 3,
                    "first text of number \(id)", "the second text, a little longer, \(id)",
                    [UInt8](repeating: UInt8(truncatingIfNeeded: id), count: 64))
            }
        }
    }
}
