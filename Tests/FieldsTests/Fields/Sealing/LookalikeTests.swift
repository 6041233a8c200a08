import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Random bytes have the form of a cell now and then, and a column can hold the cells of another database.
@Suite("Sealing values that have the form of cells")
struct LookalikeTests {
    private let bench: SealedTableWorkbench

    init() throws { bench = try SealedTableWorkbench(rows: 30) }

    /// BLOBs, of which some have the form of cells.
    private func blobs(_ connection: borrowing Connection) throws -> [[UInt8]] {
        var random = SplitMix64(state: 20_261_125)
        var blobs = (0..<400).map { _ in
            (0..<Int.random(in: 0...90, using: &random)).map { _ in
                UInt8.random(in: .min ... .max, using: &random)
            }
        }
        for format in [UInt8(0xF9), 0xFA, 0xFB] {
            blobs.append([format, 0, 0, 0, 1] + [UInt8](repeating: 7, count: 60))
        }
        // Genuine cells, of another column and its key.
        blobs += try connection.query("SELECT title FROM film", as: [UInt8].self)
        return blobs
    }

    private func fill(_ table: String, _ connection: borrowing Connection) throws -> [[UInt8]] {
        try connection.execute(SQL(verbatim: table))
        let blobs = try blobs(connection)
        for (id, blob) in blobs.enumerated() {
            try connection.execute("INSERT INTO photo VALUES (?, ?)", id, blob)
        }
        return blobs
    }

    private func formed(
        _ connection: borrowing Connection, _ mode: SealedColumn.Mode
    ) throws -> Int {
        let shape = CellShape.matches("data", mode)
        return try connection.value(
            SQL(verbatim: "SELECT count(*) FROM photo WHERE \(shape)")) ?? 0
    }

    @Test(
        "Each of them becomes a cell and comes back as it was, with rowids and without",
        arguments: [
            "CREATE TABLE photo (id INTEGER PRIMARY KEY, data)",
            "CREATE TABLE photo (id INTEGER NOT NULL PRIMARY KEY, data) WITHOUT ROWID",
        ], SealedColumn.Mode.allCases)
    func thereAndBack(table: String, mode: SealedColumn.Mode) throws {
        let connection = try bench.sealed()
        let blobs = try fill(table, connection)
        let before = try formed(connection, mode)
        #expect(before > (mode == .random ? 30 : 0), "the test needs values that have the form of cells")
        try connection.protect("data", of: "photo", keys: bench.keys, mode: mode, batch: 50)
        #expect(try formed(connection, mode) == blobs.count)
        #expect(try connection.query("SELECT data FROM photo_open ORDER BY id", as: [UInt8].self) == blobs)
        try connection.unprotect("data", of: "photo", keys: bench.keys, batch: 50)
        #expect(try connection.query("SELECT data FROM photo ORDER BY id", as: [UInt8].self) == blobs)
        #expect(try formed(connection, mode) == before)
    }

    @Test(
        "Stopped after any batch, all values are readable, and the next run ends it",
        arguments: 1...9)
    func resumed(stop: Int) throws {
        let connection = try bench.sealed()
        let blobs = try fill("CREATE TABLE photo (id INTEGER PRIMARY KEY, data)", connection)
        func stopping(_ change: (@escaping JobProgress.Handler) throws -> Void) throws {
            var batches = 0
            #expect(throws: Stop.self) {
                try change { _ in
                    batches += 1
                    if batches == stop { throw Stop() }
                }
            }
            let other = try bench.open()
            #expect(try other.query("SELECT data FROM photo_open ORDER BY id", as: [UInt8].self) == blobs)
        }
        try stopping { progress in
            try connection.protect("data", of: "photo", keys: bench.keys, batch: 45, progress: progress)
        }
        try connection.protect("data", of: "photo", keys: bench.keys, batch: 45)
        try stopping { progress in
            try connection.unprotect("data", of: "photo", keys: bench.keys, batch: 45, progress: progress)
        }
        // Turned around, and again.
        try connection.protect("data", of: "photo", keys: bench.keys, batch: 45)
        #expect(try connection.query("SELECT data FROM photo_open ORDER BY id", as: [UInt8].self) == blobs)
        try connection.unprotect("data", of: "photo", keys: bench.keys, batch: 45)
        #expect(try connection.query("SELECT data FROM photo ORDER BY id", as: [UInt8].self) == blobs)
    }
}
