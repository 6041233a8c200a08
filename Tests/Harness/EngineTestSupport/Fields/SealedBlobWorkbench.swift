import SystemPackage
import TestSupport
import Testing

@testable import Lockstep

/// A file with a table of reels whose data is sealed.
struct SealedBlobWorkbench {
    let films: SealedTableWorkbench

    var keys: FieldKeys { films.keys }

    init() throws { films = try SealedTableWorkbench(rows: 0) }

    /// A connection to the file, with two empty reels unless others are given.
    func open(
        rows: Int = 2, padding: CellPadding = .none, indexes: [SealedIndex.Request] = [],
        mode: SealedColumn.Mode = .random
    ) throws -> Connection {
        let connection = try films.open()
        try connection.run(script: "CREATE TABLE reel (id INTEGER PRIMARY KEY, name TEXT, data)")
        for row in 0..<rows {
            try connection.execute("INSERT INTO reel (name) VALUES (?)", "reel \(row + 1)")
        }
        try connection.protect("data", of: "reel", keys: keys, mode: mode, padding: padding, indexes: indexes)
        return connection
    }

    static func place(_ row: Int64) -> BlobPlace {
        BlobPlace(table: "reel", column: "data", row: row)
    }

    /// Bytes in which no two chunks are equal.
    static func bytes(_ count: Int, salt: Int = 0) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var span = bytes.mutableSpan
        var state = UInt32(truncatingIfNeeded: salt &* 7919 &+ 1)
        for index in span.indices {
            state = state &* 1_664_525 &+ 1_013_904_223
            span[index] = UInt8(truncatingIfNeeded: state >> 24)
        }
        return bytes
    }

    /// Pieces of a size that divides nothing evenly.
    static func pieces(_ bytes: [UInt8], of size: Int = 7919) -> () -> [UInt8]? {
        var rest = bytes[...]
        return {
            guard !rest.isEmpty else { return nil }
            defer { rest = rest.dropFirst(size) }
            return Array(rest.prefix(size))
        }
    }
}

extension Connection {
    func write(_ bytes: [UInt8], toReel row: Int64) throws {
        try writeSealedBlob(SealedBlobWorkbench.place(row), count: bytes.count, from: SealedBlobWorkbench.pieces(bytes))
    }

    func readReel(_ row: Int64) throws -> [UInt8] {
        try withSealedBlob(SealedBlobWorkbench.place(row)) { blob in
            var bytes: [UInt8] = []
            try blob.forEachChunk(of: 10_007) { bytes += $0 }
            let length = blob.count
            #expect(bytes.count == length)
            return bytes
        }
    }

    /// The cell as stored in the table.
    func cell(ofReel row: Int64) throws -> [UInt8] {
        try #require(try value("SELECT data FROM reel WHERE id = ?", row, as: [UInt8].self))
    }

    /// Replaces a cell with bytes, as an attacker without the fields keyring would.
    func plant(_ cell: [UInt8], inReel row: Int64) throws {
        try executeWithoutTriggers("UPDATE reel SET data = ? WHERE id = ?", [.blob(cell), .integer(row)])
    }
}
