import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Rows that are written as values of a type of the program.
@Suite("Rows that types encode themselves to")
struct RowEncodableTests {
    private struct Note: RowEncodable, RowDecodable, Equatable {
        var id: Int64
        var title: String?
        var body: [UInt8]

        init(_ id: Int64, _ title: String?, _ body: [UInt8]) {
            (self.id, self.title, self.body) = (id, title, body)
        }

        init(row: borrowing Row) throws {
            (id, title, body) = (try row[0], try row[1], try row[2])
        }

        func encode(to parameters: inout Parameters) {
            parameters.append(id)
            // Does not outlive this call, and neither do the type's intermediate values.
            parameters.append(title.map { "\($0)" })
            parameters.append(body)
        }
    }

    private let scratch: DatabaseScratch

    init() throws {
        scratch = try DatabaseScratch()
        try scratch.create().execute("CREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT, body BLOB NOT NULL)")
    }

    private let insertion: SQL = "INSERT INTO note VALUES (?, ?, ?)"

    private func notes(_ connection: borrowing Connection) throws -> [Note] {
        try connection.query("SELECT * FROM note ORDER BY id", as: Note.self)
    }

    private static func note(_ id: Int64, size: Int) -> Note {
        Note(id, String(repeating: "ä", count: size), (0..<size).map { UInt8(truncatingIfNeeded: $0) })
    }

    @Test(
        "An encoded value is read back, whatever its length",
        arguments: [0, 1, 15, 16, 4094, 4095, 4096, 4097, 100_000])
    func roundTrip(size: Int) throws {
        let connection = try scratch.open()
        let written = [Self.note(1, size: size), Note(2, nil, []), Self.note(3, size: 1)]
        try connection.write { try $0.execute(insertion, rows: written) }
        #expect(try notes(connection) == written)
    }

    @Test("No row, one row and many rows are written", arguments: [0, 1, 1000])
    func count(_ count: Int) throws {
        let connection = try scratch.open()
        let written = (0..<count).map { Self.note(Int64($0), size: $0 % 40) }
        try connection.write { try $0.execute(insertion, rows: written) }
        #expect(try notes(connection) == written)
    }

    @Test("The statement runs once per row")
    func oneByOne() throws {
        let connection = try scratch.open()
        let statement = try connection.prepare(insertion)
        try statement.run(row: Self.note(1, size: 20))
        try statement.run(row: Self.note(2, size: 3))
        #expect(try notes(connection).map(\.id) == [1, 2])
    }

    @Test("A statement with more or fewer parameters is refused, and nothing is written") func parameterCount() throws {
        let connection = try scratch.open()
        for sql: SQL in [
            "INSERT INTO note (id, body) VALUES (?, ?)",
            "INSERT INTO note VALUES (?, ?, coalesce(?, ?))", "INSERT INTO note VALUES (9, '', '')",
        ] {
            Refusal.expect(.bindMismatch) {
                try connection.execute(sql, rows: [Self.note(1, size: 1)])
            }
        }
        #expect(try notes(connection) == [])
    }

    @Test("A row that is refused ends the run, and the transaction rolls back with it") func constraint() throws {
        let connection = try scratch.open()
        Refusal.expect(.constraint) {
            try connection.write { connection in
                try connection.execute(insertion, rows: [1, 2, 1, 3].map { Self.note($0, size: 5) })
            }
        }
        #expect(try notes(connection) == [])
    }

    @Test("Values in the SQL combined with values from a row are refused")
    func twice() throws {
        let connection = try scratch.open()
        Refusal.expect(.misuse) {
            try connection.execute(
                "INSERT INTO note VALUES (\(1), \("a"), \([UInt8]()))", rows: [Self.note(1, size: 1)])
        }
    }

    @Test(
        "A string is bound unchanged: bridged, small, native or shared",
        arguments: [0, 3, 15, 16, 200])
    func strings(_ length: Int) throws {
        let connection = try scratch.open()
        let text = String(repeating: "x", count: length)
        let shared = ("prefix" + text + "suffix").dropFirst(6).dropLast(6)
        let read = try connection.first("SELECT ?, ?", text, shared) { row in
            [try row[0], try row[1]] as [String]
        }
        #expect(read == [text, text])
    }
}
