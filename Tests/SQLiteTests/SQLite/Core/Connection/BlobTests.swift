import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Blobs")
struct BlobTests {
    private let scratch: DatabaseScratch
    private let connection: ConnectionBox

    /// A copyable wrapper of a connection.
    private final class ConnectionBox {
        let connection: Connection
        init(_ connection: consuming Connection) { self.connection = connection }
    }

    init() throws {
        scratch = try DatabaseScratch()
        let connection = try scratch.create()
        try connection.execute("CREATE TABLE photo (id INTEGER PRIMARY KEY, data, other)")
        self.connection = ConnectionBox(connection)
    }

    private static func pattern(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
    }

    /// Inserts one row and returns the position of its value.
    private func insert(_ data: some Bindable) throws -> BlobPlace {
        try connection.connection.execute("INSERT INTO photo (data) VALUES (?)", data)
        return BlobPlace(table: "photo", column: "data", row: connection.connection.lastInsertedRowID)
    }

    private func stored(_ place: BlobPlace) throws -> [UInt8]? {
        try connection.connection.value("SELECT data FROM photo WHERE id = ?", place.row)
    }

    @Test(
        "Data written in pieces is read unchanged in pieces of any other size",
        arguments: [0, 1, 4095, 4096, 4097, 8191, 65_535, 65_536, 65_537, 200_001])
    func roundTrip(_ count: Int) throws {
        let bytes = Self.pattern(count)
        let place = try insert(ZeroBytes(count))
        try connection.connection.withBlob(place, .write) { blob in
            #expect(blob.count == count)
            for start in stride(from: 0, to: count, by: 4097) {
                try blob.write(Array(bytes[start..<min(start + 4097, count)]), at: start)
            }
        }
        #expect(try stored(place) == bytes)
        for size in [1, 4016, 65_536, Int.max] where count < 100_000 || size > 1 {
            var read: [UInt8] = []
            var pieces = 0
            try connection.connection.withBlob(place) { blob in
                try blob.forEachChunk(of: size) { piece in
                    read += piece
                    pieces += 1
                }
            }
            #expect(read == bytes && pieces == (count == 0 ? 0 : (count - 1) / size + 1))
        }
    }

    @Test("Any part can be read and overwritten, and the rest stays")
    func parts() throws {
        var bytes = Self.pattern(20_000)
        let place = try insert(bytes)
        try connection.connection.withBlob(place, .write) { blob in
            for (offset, count) in [(0, 1), (19_999, 1), (4000, 200), (4095, 2), (20_000, 0)] {
                #expect(try blob.read(at: offset, count: count) == Array(bytes[offset..<(offset + count)]))
                let new = [UInt8](repeating: 0xEE, count: count)
                try blob.write(new, at: offset)
                bytes.replaceSubrange(offset..<(offset + count), with: new)
            }
        }
        #expect(try stored(place) == bytes)
    }

    @Test("Nothing is read or written beyond either end")
    func beyond() throws {
        let place = try insert(Self.pattern(100))
        try connection.connection.withBlob(place, .write) { blob in
            for (offset, count) in [
                (0, 101), (100, 1), (101, 0), (-1, 1), (0, -1), (Int.max, 1), (1, Int.max), (Int.min, 0),
            ] {
                Refusal.expect(.misuse) { _ = try blob.read(at: offset, count: count) }
            }
            Refusal.expect(.misuse) { try blob.write([1, 2], at: 99) }
            Refusal.expect(.misuse) { try blob.write([1], at: -1) }
            Refusal.expect(.misuse) { try blob.write([1], at: Int.max) }
        }
        #expect(try stored(place) == Self.pattern(100))
    }

    @Test("A read handle cannot write")
    func readOnly() throws {
        let place = try insert([1, 2, 3] as [UInt8])
        try connection.connection.withBlob(place) { blob in
            Refusal.expect(.readOnly) { try blob.write([9], at: 0) }
        }
        #expect(try stored(place) == [1, 2, 3])
    }

    @Test(
        "A handle ends when its row changes or is deleted, and with its table",
        arguments: [
            "UPDATE photo SET other = 1", "UPDATE photo SET data = x'00'", "DELETE FROM photo",
            "UPDATE photo SET id = id + 100", "REPLACE INTO photo (id, data) VALUES (1, x'0102')",
        ])
    func expired(_ change: String) throws {
        let place = try insert([1, 2, 3] as [UInt8])
        try connection.connection.write { connection in
            try connection.withBlob(place, .write) { blob in
                _ = try blob.read(at: 0, count: 3)
                try connection.execute(SQL(verbatim: change))
                Refusal.expect(.blobExpired) { _ = try blob.read(at: 0, count: 1) }
                Refusal.expect(.blobExpired) { _ = try blob.read(at: 0, count: 0) }
                Refusal.expect(.blobExpired) { try blob.write([9], at: 0) }
            }
        }
    }

    @Test("A change of another row does not affect a handle")
    func otherRow() throws {
        let place = try insert([1, 2, 3] as [UInt8])
        let other = try insert([4] as [UInt8])
        try connection.connection.withBlob(place) { blob in
            try connection.connection.execute("DELETE FROM photo WHERE id = ?", other.row)
            #expect(try blob.read(at: 1, count: 2) == [2, 3])
        }
    }

    @Test("A text is read as its bytes; other types than text and BLOB are refused by name") func types() throws {
        let text = try insert("Grüße")
        try connection.connection.withBlob(text) { blob in
            let bytes = try blob.read(at: 0, count: blob.count)
            #expect(bytes == Array("Grüße".utf8))
        }
        let values: [Value] = [.integer(5), .real(1.5), .null]
        for value in values {
            let place = try insert(value)
            let error = try #require(throws: LockstepError.self) {
                try connection.connection.withBlob(place) { _ in }
            }
            #expect(error.code == .sqlFailed && error.hint != nil)
            #expect(error.message.contains("photo.data"))
        }
    }

    @Test("A missing table, column or row is an error, and so is a table without rowids") func missing() throws {
        let place = try insert([1] as [UInt8])
        try connection.connection.run(
            script: """
                CREATE TABLE pair (a PRIMARY KEY, b) WITHOUT ROWID; INSERT INTO pair VALUES (1, x'00');
                CREATE VIEW v AS SELECT * FROM photo;
                CREATE VIRTUAL TABLE words USING fts5(text); INSERT INTO words VALUES ('x');
                """)
        for (table, column, row) in [
            ("photos", "data", place.row), ("photo", "dat", place.row), ("photo", "data", 99),
            ("pair", "b", 1), ("v", "data", place.row), ("words", "text", 1), ("", "", 0),
        ] as [(String, String, Int64)] {
            Refusal.expect(.sqlFailed) {
                try connection.connection.withBlob(BlobPlace(table: table, column: column, row: row)) { _ in }
            }
        }
    }

    @Test("An indexed column can be read but not written")
    func indexed() throws {
        let place = try insert([1, 2] as [UInt8])
        try connection.connection.execute("CREATE INDEX i ON photo (data)")
        try connection.connection.withBlob(place) {
            let bytes = try $0.read(at: 0, count: 2)
            #expect(bytes == [1, 2])
        }
        Refusal.expect(.sqlFailed) { try connection.connection.withBlob(place, .write) { _ in } }
    }

    @Test("The engine's own tables can be read but not written, whatever the case of their names")
    func ownTables() throws {
        try connection.connection.with(rights: .engine) {
            try connection.connection.execute("CREATE TABLE lockstep_own (data)")
            try connection.connection.execute("INSERT INTO lockstep_own VALUES (x'0102')")
        }
        for table in ["lockstep_own", "LockStep_Own"] {
            let place = BlobPlace(table: table, column: "data", row: 1)
            try connection.connection.withBlob(place) { #expect($0.count == 2) }
            Refusal.expect(.denied) { try connection.connection.withBlob(place, .write) { _ in } }
        }
        for table in ["sqlite_schema", "SQLITE_MASTER", "sqlite_sequence"] {
            let place = BlobPlace(table: table, column: "sql", row: 1)
            Refusal.expect(.denied) { try connection.connection.withBlob(place, .write) { _ in } }
        }
    }

    @Test("A rolled-back transaction undoes writes to a blob")
    func rollback() throws {
        let place = try insert([1, 2, 3] as [UInt8])
        #expect(throws: Stop.self) {
            try connection.connection.write { connection in
                try connection.withBlob(place, .write) { try $0.write([9, 9], at: 1) }
                throw Stop()
            }
        }
        #expect(try stored(place) == [1, 2, 3])
    }
}
