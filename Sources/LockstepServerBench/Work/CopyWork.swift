import BenchKit
import FoundationEssentials
import Lockstep
import LockstepPostgres
import SystemPackage

/// Copies between a file and a server, cells as they are.
struct CopyWork {
    let site: BenchSite

    func toServer(_ schema: String, from source: FilePath, rows: Int) throws -> Sample {
        let file = try Connection.open(source, key: try site.databaseKey())
        let server = try site.connect(schema, sealed: false)
        let set = try BenchSite.set(.postgres)
        let clock = ContinuousClock()
        let started = clock.now
        var (begun, checked, sent): (ContinuousClock.Instant?, _, _) = (nil, started, started)
        var sample = try Sample.measure {
            let report = try ServerCopy([set]).run(from: file, to: server) { progress in
                if progress.phase.name == "checking" {
                    checked = clock.now
                    begun = begun ?? checked
                }
                if progress.phase.name == "copying" { sent = clock.now }
            }
            guard report.tables.map(\.rows) == [rows] else {
                throw BenchError("the copy has other tables or rows")
            }
        }
        let whole = Duration.seconds(sample.wall)
        sample.parts = [
            "schema made": ((begun ?? started) - started).inSeconds,
            "source looked through": (checked - (begun ?? started)).inSeconds, "rows sent": (sent - checked).inSeconds,
            "read back and compared": (whole - (sent - started)).inSeconds,
        ]
        return sample
    }

    func toFile(_ schema: String) throws -> Sample {
        let path = site.folder.appending("out.db")
        let server = try site.connect(schema, sealed: false)
        var copy = ServerCopy([try BenchSite.set(.sqlite)])
        copy.leavingOut = ["plain"]
        let sample = try Sample.measure {
            let file = try Connection.create(path, key: try site.databaseKey())
            _ = try copy.run(from: server, to: file)
        }
        try requireRows(path)
        try remove(path)
        return sample
    }

    /// Checks the opened rows of a file.
    private func requireRows(_ path: FilePath) throws {
        var options = ConnectionOptions()
        options.fieldKeys = [try site.fieldKeys()]
        options.mayBeUnknown = true
        let file = try Connection.open(path, key: try site.databaseKey(), options: options)
        var (hash, expected) = (RowHash(), RowHash())
        expected.addRows(site.rows)
        try file.prepare(
            "SELECT id, a, b, c, d, ratio, first, second, bytes FROM record_open ORDER BY id"
        ).forEach { row in
            hash.add(
                Record(
                    id: try row[0], a: try row[1], b: try row[2], c: try row[3], d: try row[4],
                    ratio: try row[5], first: try row[6], second: try row[7], bytes: try row[8])
            )
        }
        guard hash.hex == expected.hex else { throw BenchError("the file has other rows") }
    }

    func insertFile() throws -> Sample {
        let path = site.folder.appending("inserted.db")
        let rows = try PlainReader.rows(site.cellsFile)
        guard rows.count == site.rows else { throw BenchError("the file of rows is short") }
        let sample = try Sample.measure {
            let file = try Connection.create(path, key: try site.databaseKey())
            try file.write { file in
                try file.execute(
                    """
                    CREATE TABLE record (id INTEGER PRIMARY KEY, a INTEGER NOT NULL, b INTEGER NOT NULL,
                        c INTEGER NOT NULL, d INTEGER NOT NULL, ratio REAL NOT NULL, first BLOB,
                        second BLOB, bytes BLOB, first_exact_token BLOB)
                    """)
                let insert = try file.prepare("INSERT INTO record VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
                for row in rows {
                    try insert.bind(values: row)
                    try insert.run()
                }
                try file.execute("CREATE UNIQUE INDEX token ON record (first_exact_token)")
            }
        }
        try remove(path)
        return sample
    }

    private func remove(_ path: FilePath) throws {
        for ending in ["", "-wal", "-shm"] {
            let name = path.string + ending
            guard FileManager.default.fileExists(atPath: name) else { continue }
            try FileManager.default.removeItem(atPath: name)
        }
    }
}

/// Reads rows of COPY's binary format, as the table's columns have them.
enum PlainReader {
    static func rows(_ path: FilePath) throws -> [[Value]] {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path.string))
        var rows: [[Value]] = []
        var place = 19
        func number(_ count: Int) -> UInt64 {
            defer { place += count }
            return bytes[place..<(place + count)].reduce(0) { $0 << 8 | UInt64($1) }
        }
        while true {
            let count = number(2)
            guard count != 0xFFFF else { return rows }
            var row: [Value] = []
            for column in 0..<Int(count) {
                let length = number(4)
                guard length != 0xFFFF_FFFF else {
                    row.append(.null)
                    continue
                }
                switch column {
                case 0...4: row.append(.integer(Int64(bitPattern: number(8))))
                case 5: row.append(.real(Double(bitPattern: number(8))))
                default:
                    row.append(.blob(Array(bytes[place..<(place + Int(length))])))
                    place += Int(length)
                }
            }
            rows.append(row)
        }
    }
}
