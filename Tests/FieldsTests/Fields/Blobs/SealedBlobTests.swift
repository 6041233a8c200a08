import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Sealed blobs as streams")
struct SealedBlobTests {
    let bench: SealedBlobWorkbench

    init() throws { bench = try SealedBlobWorkbench() }

    private static let chunk = ChunkedLayout.chunkLength
    private static let lengths = [
        0, 1, chunk - 2, chunk - 1, chunk, chunk + 1, 3 * chunk - 2, 3 * chunk - 1, 3 * chunk,
        1 << 20 - 1, 1 << 20, 1 << 20 + 1,
    ]

    @Test(
        "a value written piece by piece is read piece by piece, and through the view",
        arguments: lengths, [CellPadding.none, .multiple(of: 1000), .multiple(of: 65_536)])
    func roundTrip(_ count: Int, _ padding: CellPadding) throws {
        let connection = try bench.open(padding: padding)
        let bytes = SealedBlobWorkbench.bytes(count)
        try connection.write(bytes, toReel: 1)
        #expect(try connection.readReel(1) == bytes)
        #expect(try connection.value("SELECT data FROM reel_open WHERE id = 1", as: [UInt8].self) == bytes)
        let cell = try connection.cell(ofReel: 1)
        #expect(cell[0] == 0xFE)
        // The type tag, and padding if there is any, in chunks; the last one is shorter.
        let plaintext = try padding.paddedLength(1 + count)
        #expect(cell.count == 5 + 24 + 32 + plaintext + (plaintext / Self.chunk + 1) * 16)
        if padding != .none { #expect(plaintext > 1 + count) }
    }

    @Test("a blob over 1 MiB is sealed in chunks, wherever it is written; a text is not") func wholeValues() throws {
        let connection = try bench.open(rows: 0)
        for (row, count) in [(1, 1 << 20), (2, 1 << 20 + 1), (3, 0)] {
            let bytes = SealedBlobWorkbench.bytes(count)
            try connection.execute("INSERT INTO reel_open (id, data) VALUES (?, ?)", row, bytes)
            #expect(try connection.readReel(Int64(row)) == bytes)
            let view: SQL = "SELECT data FROM reel_open WHERE id = ?"
            #expect(try connection.value(view, row, as: [UInt8].self) == bytes)
            #expect(try connection.cell(ofReel: Int64(row))[0] == (row == 2 ? 0xFE : 0xFC))
        }
        let text = String(repeating: "ä", count: 1 << 20)
        try connection.execute("INSERT INTO reel_open (id, data) VALUES (4, ?)", text)
        #expect(try connection.cell(ofReel: 4)[0] == 0xFC)
        #expect(try connection.readReel(4) == Array(text.utf8))
        try connection.execute("INSERT INTO reel_open (id, data) VALUES (5, 7)")
        Refusal.expect(.decodeMismatch) { _ = try connection.readReel(5) }
    }

    @Test("padded values of one length are sealed in one format")
    func formatByLength() throws {
        let cipher = try CellWorkbench.cipher(padding: .multiple(of: 4096))
        let cells = try [1 << 20 - 4000, 1 << 20 - 1, 1 << 20, 1 << 20 + 4000].map {
            try cipher.seal(.blob(SealedBlobWorkbench.bytes($0)), at: .row(1))
        }
        #expect(cells.map(\.[0]) == [0xF9, 0xFB, 0xFB, 0xFB])
        // Three lengths that look the same without the keys.
        #expect(Set(cells[1...].map(\.count)).count == 1)
    }

    @Test("pieces from any offset are those of a plain copy")
    func randomAccess() throws {
        let connection = try bench.open(padding: .multiple(of: 32))
        let bytes = SealedBlobWorkbench.bytes(9 * Self.chunk + 777)
        try connection.write(bytes, toReel: 2)
        var generator = SplitMix64(stream: 0xFB)
        try connection.withSealedBlob(SealedBlobWorkbench.place(2)) { blob in
            let length = blob.count
            #expect(length == bytes.count)
            for number in 0..<400 {
                // Every other one begins near a chunk's border.
                let border = Int.random(in: 0...9, using: &generator) * Self.chunk
                let near = max(border + Int.random(in: -3...3, using: &generator), 0)
                let anywhere = Int.random(in: 0...bytes.count, using: &generator)
                let offset = number % 2 == 0 ? near : anywhere
                let most = min(bytes.count - offset, number % 3 == 0 ? 5 : 3 * Self.chunk)
                let count = Int.random(in: 0...most, using: &generator)
                let piece = try blob.read(at: offset, count: count)
                #expect(
                    piece == Array(bytes[offset..<(offset + count)]),
                    "\(count) bytes at \(offset), seed \(Torture.seed)")
            }
            for (offset, count) in [(-1, 1), (0, -1), (0, bytes.count + 1), (.max, .max)] {
                Refusal.expect(.misuse) { _ = try blob.read(at: offset, count: count) }
            }
            let nothing = try blob.read(at: bytes.count, count: 0)
            #expect(nothing == [])
        }
    }

    @Test("cells are bound to keys of other columns, too, and streams work with them") func namedKeys() throws {
        let connection = try bench.films.open()
        try connection.run(
            script: """
                CREATE TABLE part (name TEXT NOT NULL, side INTEGER NOT NULL, data, PRIMARY KEY (side, name));
                INSERT INTO part VALUES ('a', 1, NULL), ('a', 2, NULL);
                """)
        try connection.protect("data", of: "part", keys: bench.keys)
        let bytes = SealedBlobWorkbench.bytes(40_000)
        let row = try #require(try connection.value("SELECT rowid FROM part WHERE side = 2", as: Int64.self))
        let place = BlobPlace(table: "PART", column: "Data", row: row)
        try connection.writeSealedBlob(place, count: bytes.count, from: SealedBlobWorkbench.pieces(bytes))
        #expect(try connection.value("SELECT data FROM part_open WHERE side = 2", as: [UInt8].self) == bytes)
        let read = try connection.withSealedBlob(place) { try $0.read(at: 39_990, count: 10) }
        #expect(read == Array(bytes.suffix(10)))
        try connection.executeWithoutTriggers("UPDATE part SET side = 3 WHERE side = 2", [])
        Refusal.expect(.cellForged) { try connection.withSealedBlob(place) { _ in } }
    }

    // MARK: Failing

    @Test("too few bytes, too many bytes, and an error in between leave the old value") func undone() throws {
        let connection = try bench.open()
        let old = SealedBlobWorkbench.bytes(70_000)
        try connection.write(old, toReel: 1)
        let cell = try connection.cell(ofReel: 1)
        let place = SealedBlobWorkbench.place(1)
        let new = SealedBlobWorkbench.bytes(90_000, salt: 1)
        for (count, code) in [(90_001, LockstepError.Code.misuse), (89_999, .misuse), (0, .misuse)] {
            Refusal.expect(code) {
                try connection.writeSealedBlob(place, count: count, from: SealedBlobWorkbench.pieces(new))
            }
            #expect(try connection.cell(ofReel: 1) == cell)
        }
        // The transaction continues.
        try connection.write { connection in
            try connection.execute("UPDATE reel SET name = 'kept' WHERE id = 1")
            var pieces = 0
            #expect(throws: Stop.self) {
                try connection.writeSealedBlob(place, count: 90_000) {
                    pieces += 1
                    if pieces == 4 { throw Stop() }
                    return Array(new[..<20_000])
                }
            }
            #expect(try connection.cell(ofReel: 1) == cell)
        }
        #expect(try connection.readReel(1) == old)
        #expect(try connection.texts("SELECT name FROM reel WHERE id = 1") == ["kept"])
    }

    @Test("an error reports where a stream is not possible")
    func refused() throws {
        let connection = try bench.open()
        let films = [("title", "film"), ("data", "reels"), ("name", "reel")]
        for (column, table) in films {
            Refusal.expect(.keyUnavailable) {
                try connection.withSealedBlob(BlobPlace(table: table, column: column, row: 1)) {
                    _ in
                }
            }
        }
        Refusal.expect(.sqlFailed) { _ = try connection.readReel(1) }
        Refusal.expect(.sqlFailed) { _ = try connection.readReel(9) }
        Refusal.expect(.sqlFailed) { try connection.write([1], toReel: 9) }
        for count in [-1, .min, .max, 1 << 31] {
            Refusal.expect(.misuse) {
                try connection.writeSealedBlob(SealedBlobWorkbench.place(1), count: count) { nil }
            }
        }
        // Slightly more than SQLite can store in a value.
        Refusal.expect(.sqlFailed) {
            try connection.writeSealedBlob(SealedBlobWorkbench.place(1), count: 999_999_999) { nil }
        }
        let closed = try bench.films.open([])
        Refusal.expect(.keyUnavailable) { try closed.write([1], toReel: 1) }
    }

    @Test(
        "in a table for which SQLite opens no blob handles, values of any length go through SQL",
        arguments: [
            "(id INTEGER PRIMARY KEY, data) WITHOUT ROWID", "(id INTEGER PRIMARY KEY, data, double AS (2 * id))",
        ])
    func withoutHandles(shape: String) throws {
        let connection = try bench.films.open()
        try connection.run(script: "CREATE TABLE bare \(shape); INSERT INTO bare (id, data) VALUES (1, x'01')")
        try connection.protect("data", of: "bare", keys: bench.keys)
        let place = BlobPlace(table: "bare", column: "data", row: 1)
        Refusal.expect(.misuse) { try connection.withSealedBlob(place) { _ in } }
        Refusal.expect(.misuse) { try connection.writeSealedBlob(place, count: 0) { nil } }
        let bytes = SealedBlobWorkbench.bytes(2 << 20)
        try connection.execute("UPDATE bare_open SET data = ?", bytes)
        let newer = try CellWorkbench.keys(active: 4, retired: [3])
        let other = try bench.films.open([newer])
        try other.reseal("data", of: "bare", keys: newer)
        #expect(try other.texts("SELECT hex(substr(data, 1, 5)) FROM bare") == ["FE00000004"])
        #expect(try other.value("SELECT data FROM bare_open", as: [UInt8].self) == bytes)
        var verification = Verification(bench.films.path, sets: [])
        verification.fieldKeys = [newer]
        let report = try verification.run(key: bench.films.databaseKey())
        let cells = try #require(report.outcomes.first { $0.check == .cells })
        #expect(cells.summary == "1 cell of 1 column opened")
        #expect(cells.findings.isEmpty)
        #expect(cells.obstacle == nil)
    }

    @Test("equal cells and blind indexes need whole values; reading takes any cell") func otherColumns() throws {
        for (mode, indexes) in [(SealedColumn.Mode.deterministic, []), (.random, [SealedIndex.Request(.exact)])] {
            let bench = try SealedBlobWorkbench()
            let connection = try bench.open(indexes: indexes, mode: mode)
            Refusal.expect(.misuse) { try connection.write([1, 2], toReel: 1) }
            let bytes = SealedBlobWorkbench.bytes(2 << 20)
            try connection.execute("UPDATE reel_open SET data = ? WHERE id = 1", bytes)
            #expect(try connection.readReel(1) == bytes)
        }
    }

    @Test("a column that is being unsealed reads sealed and plain values, and takes no stream") func halfway() throws {
        let connection = try bench.open()
        let bytes = SealedBlobWorkbench.bytes(50_000)
        for row: Int64 in [1, 2] { try connection.write(bytes, toReel: row) }
        #expect(throws: Stop.self) {
            try connection.unprotect("data", of: "reel", keys: bench.keys, batch: 1) { _ in
                throw Stop()
            }
        }
        #expect(try connection.cell(ofReel: 1) == bytes)
        for row: Int64 in [1, 2] { #expect(try connection.readReel(row) == bytes) }
        Refusal.expect(.misuse) { try connection.write(bytes, toReel: 1) }
        try connection.unprotect("data", of: "reel", keys: bench.keys)
        #expect(try connection.cell(ofReel: 2) == bytes)
        Refusal.expect(.misuse) { try connection.write(bytes, toReel: 1) }
    }

    // MARK: Changes

    @Test("a handle on a changed row reads nothing more, not even what it has opened") func expired() throws {
        let connection = try bench.open()
        for count in [50_000, 100] {
            try connection.write(SealedBlobWorkbench.bytes(count), toReel: 1)
            try connection.execute("UPDATE reel_open SET data = ? WHERE id = 2", SealedBlobWorkbench.bytes(count))
            for row: Int64 in [1, 2] {
                try connection.write { connection in
                    try connection.withSealedBlob(SealedBlobWorkbench.place(row)) { blob in
                        let first = try blob.read(at: 0, count: 10)
                        #expect(first == Array(SealedBlobWorkbench.bytes(10)))
                        try connection.execute("UPDATE reel SET name = 'x' WHERE id = ?", row)
                        Refusal.expect(.blobExpired) { _ = try blob.read(at: 0, count: 10) }
                    }
                }
            }
        }
    }

    @Test("the table's own triggers fire once per stream, and its guards work afterwards as before")
    func triggers() throws {
        let connection = try bench.open()
        try connection.run(
            script: """
                CREATE TABLE log (row INTEGER);
                CREATE TRIGGER noted AFTER UPDATE ON reel BEGIN INSERT INTO log VALUES (NEW.id); END;
                """)
        try connection.write(SealedBlobWorkbench.bytes(40_000), toReel: 2)
        #expect(try connection.query("SELECT row FROM log", as: Int.self) == [2])
        try connection.execute("UPDATE reel SET name = 'y' WHERE id = 1")
        #expect(try connection.query("SELECT row FROM log", as: Int.self) == [2, 1])
        Refusal.expect(.constraint) {
            try connection.execute("UPDATE reel SET data = zeroblob(1000) WHERE id = 1")
        }
    }
}
