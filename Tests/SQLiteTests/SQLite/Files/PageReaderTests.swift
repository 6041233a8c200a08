import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Database files of this library, read by a program that is based only on the article DatabasePages.
@Suite("An independent reader of pages", .enabled(if: PythonReader.isPresent, PythonReader.missing))
struct PageReaderTests {
    private let scratch: DatabaseScratch

    init() throws { scratch = try DatabaseScratch() }

    /// The rows that the engine reads, in no particular order.
    private static func rows(
        _ connection: borrowing Connection
    ) throws -> [String: Set<[PythonPages.Contents.Value]>] {
        let names = try connection.texts("SELECT name FROM sqlite_schema WHERE type = 'table'")
        var tables: [String: Set<[PythonPages.Contents.Value]>] = [:]
        for name in names.compactMap({ $0 }) {
            let rows = try connection.query("SELECT * FROM \(name: name)") { row in
                try (0..<row.count).map { PythonPages.Contents.Value(try row[$0] as Value) }
            }
            tables[name] = Set(rows)
        }
        return tables
    }

    private func expectSameRows(
        _ path: FilePath, _ connection: borrowing Connection, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let found = try PythonPages.rows(path, key: scratch.key())
        #expect(found.integrity == ["ok"], sourceLocation: sourceLocation)
        let tables = found.tables.mapValues { Set($0) }
        // A message must not compare whole pages of rows value by value.
        let areSame = try tables == Self.rows(connection)
        #expect(areSame, sourceLocation: sourceLocation)
        #expect(!tables.isEmpty, sourceLocation: sourceLocation)
    }

    private func fill(_ connection: borrowing Connection) throws {
        try connection.run(
            script: """
                CREATE TABLE mixed (id INTEGER PRIMARY KEY, a, b TEXT, c REAL);
                CREATE INDEX byText ON mixed (b);
                CREATE TABLE keyed (a TEXT, b, PRIMARY KEY (a)) WITHOUT ROWID;
                INSERT INTO mixed VALUES (1, NULL, 'é', 1.5), (2, x'00FF', '', 3), (-9, 7, 'a', NULL),
                    (9223372036854775807, zeroblob(20000), 'long', -0.0);
                INSERT INTO keyed VALUES ('x', 1), ('', zeroblob(5000));
                """)
    }

    @Test("It reads every row of a file whose log is empty or missing")
    func closed() throws {
        try scratch.fill(rows: 400)
        do {
            let connection = try scratch.open()
            try fill(connection)
        }
        try expectSameRows(scratch.path, scratch.open())
        do {
            let connection = try scratch.open()
            try connection.with(rights: .engine) { try connection.execute("VACUUM") }
        }
        try expectSameRows(scratch.path, scratch.open())
    }

    /// A copy of the database and its log while a connection prevents a checkpoint.
    private func takeCopy() throws -> FilePath {
        let copy = scratch.folder.file("copy.db")
        try scratch.copy(to: copy)
        return copy
    }

    @Test("It reads rows that are only in the log, and none of an uncommitted transaction") func log() throws {
        try scratch.fill(rows: 300)
        let connection = try scratch.open()
        try fill(connection)
        try scratch.add(rows: 120, to: connection)
        try connection.execute("DELETE FROM item WHERE id % 3 = 0")
        let copy = try takeCopy()
        let log = try Bytes.read(FilePath(copy.string + "-wal"))
        #expect(LogFile(bytes: log).frames > 5)
        try expectSameRows(copy, connection)
        // The last commit is cut off: the rows before it are there, as the engine also reads them.
        let frames = LogFile(bytes: log)
        let commits = (0..<frames.currentFrames).filter(frames.commits)
        let before = try #require(commits.dropLast().last)
        try Bytes.write(
            Array(log[..<(frames.start(of: before) + 4096 + 24 + 4096)]), to: FilePath(copy.string + "-wal"))
        let found = try PythonPages.rows(copy, key: scratch.key())
        #expect(found.tables["item"]?.count == 420)
        try expectSameRows(copy, Connection.open(copy, key: scratch.key()))
    }

    @Test("It refuses a flipped bit in any part of a page, in the file and in the log") func damaged() throws {
        try scratch.fill(rows: 300)
        let whole = try scratch.bytes
        for offset in [0, 16, 2000, 4015, 4016, 4031, 4032, 4095, 4096, 3 * 4096 - 1] {
            try scratch.damage { $0[offset] ^= 1 }
            #expect(try PythonPages.refusal(scratch.path, key: scratch.key()) == "page-damaged")
            try scratch.damage { $0 = whole }
        }
        #expect(try PythonPages.refusal(scratch.path, key: scratch.key()) == nil)
        #expect(try PythonPages.refusal(scratch.path, key: scratch.key(2)) == "page-damaged")
        // Two pages that change places.
        try scratch.damage { bytes in
            bytes.replaceSubrange(4096..<12_288, with: whole[8192..<12_288] + whole[4096..<8192])
        }
        #expect(try PythonPages.refusal(scratch.path, key: scratch.key()) == "page-damaged")
        for count in [whole.count - 1, whole.count - 4096, 4095, 0] {
            try scratch.damage { $0 = Array(whole[..<count]) }
            #expect(try PythonPages.refusal(scratch.path, key: scratch.key()) == "truncated")
        }
        try scratch.damage { $0 = whole }
        let connection = try scratch.open()
        try scratch.add(rows: 50, to: connection)
        let copy = try takeCopy()
        var log = LogFile(bytes: try Bytes.read(FilePath(copy.string + "-wal")))
        log.bytes[log.start(of: 0) + 2000] ^= 1
        // The log's own checksums are corrected, as is possible without the key.
        log.reseal(bigEndian: false)
        try Bytes.write(log.bytes, to: FilePath(copy.string + "-wal"))
        #expect(try PythonPages.refusal(copy, key: scratch.key()) == "page-damaged")
    }

    @Test("An older page of the same number verifies, as the article says")
    func replayed() throws {
        try scratch.fill(rows: 300)
        let old = try scratch.bytes
        try scratch.open().execute("UPDATE item SET body = zeroblob(100) WHERE id = 300")
        let pages = try scratch.bytes.count / 4096
        let changed = try (2...pages).filter { page in
            let range = ((page - 1) * 4096)..<(page * 4096)
            return try old[range] != scratch.bytes[range]
        }
        let page = try #require(changed.first)
        try scratch.damage { bytes in
            let range = ((page - 1) * 4096)..<(page * 4096)
            bytes.replaceSubrange(range, with: old[range])
        }
        #expect(try PythonPages.refusal(scratch.path, key: scratch.key()) == nil)
        let audit = try PageAudit(scratch.path).run(key: scratch.key())
        #expect(audit.isClean)
        try expectSameRows(scratch.path, scratch.open())
    }

    @Test("The article's example matches the script's output")
    func example() throws {
        let outcome = try PythonReader.run([
            PythonPages.folder.appending("make_example.py").string, "--check", PythonPages.article.string,
        ])
        #expect(outcome.status == 0, "\(outcome.complaint)")
    }
}
