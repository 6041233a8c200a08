import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Searches for plaintext wherever SQLite can put temporary data.
@Suite("Temporary files", .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/fd"), "there is no /proc"))
struct TemporaryFilesTests {
    private let scratch: DatabaseScratch
    /// In every row; unique to this test, because others run concurrently.
    private let marker = "marker-\(UUID().uuidString)"
    private static let rows = 20_000

    init() throws { scratch = try DatabaseScratch() }

    /// A database of about 5 MB, on a connection whose cache is far too small for it.
    private func prepare() throws -> Connection {
        var options = ConnectionOptions()
        options.cacheBytes = 0
        let connection = try scratch.create(options)
        try connection.execute("CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL)")
        try connection.write { connection in
            let insert = try connection.prepare("INSERT INTO note (text) VALUES (?)")
            let filling = String(repeating: "filling ", count: 25)
            for number in 0..<Self.rows {
                try insert.run("\(number * 7919 % 20_011) \(marker) \(filling)")
            }
        }
        return connection
    }

    private func expectNoPlaintext(_ location: SourceLocation = #_sourceLocation) throws {
        let found = try PlaintextSearch(scratch.folder.path).places(of: marker)
        #expect(found == [], sourceLocation: location)
    }

    @Test("The search finds SQLite's temporary data when it is allowed in files") func negativeControl() throws {
        let connection = try prepare()
        try connection.with(rights: .engine) { try connection.execute("PRAGMA temp_store = FILE") }
        var found: [String] = []
        try connection.prepare("SELECT text FROM note ORDER BY text").forEach { row in
            if found.isEmpty {
                found = try PlaintextSearch(scratch.folder.path).places(of: marker)
            }
        }
        #expect(found != [])
    }

    @Test("The search finds a file in the database's folder, and one that is open but deleted")
    func searchWorks() throws {
        let path = try scratch.folder.write("spill", "… \(marker) …")
        let search = PlaintextSearch(scratch.folder.path)
        #expect(try search.places(of: marker) == [path.string])
        let file = try FileDescriptor.open(path, .readOnly)
        try file.closeAfter {
            try FileManager.default.removeItem(atPath: path.string)
            #expect(try search.places(of: marker).count == 1)
        }
        #expect(try search.places(of: marker) == [])
    }

    @Test("A sort without an index")
    func sorting() throws {
        let connection = try prepare()
        var seen = 0
        // While rows are read, the sort's temporary files, if any, are open.
        try connection.prepare("SELECT text FROM note ORDER BY text").forEach { row in
            if seen.isMultiple(of: 8000) { try expectNoPlaintext() }
            seen += 1
        }
        #expect(seen == Self.rows)
    }

    @Test("Grouping, DISTINCT, UNION and a materialised subquery")
    func intermediateResults() throws {
        let connection = try prepare()
        let sql = """
            WITH part AS MATERIALIZED (SELECT DISTINCT text FROM note)
            SELECT text, count(*) FROM (SELECT text FROM part UNION SELECT text || '!' FROM note)
            GROUP BY text HAVING count(*) > 0 ORDER BY 2, 1 DESC
            """
        var seen = 0
        try connection.prepare(SQL(verbatim: sql)).forEach { _ in
            if seen == 0 { try expectNoPlaintext() }
            seen += 1
        }
        #expect(seen == 2 * Self.rows)
    }

    @Test("Building an index, also inside an open transaction")
    func indexing() throws {
        let connection = try prepare()
        try connection.execute("CREATE INDEX by_text ON note (text)")
        try expectNoPlaintext()
        try connection.write { connection in
            try connection.execute("CREATE INDEX by_end ON note (substr(text, 3))")
            try expectNoPlaintext()
        }
    }

    @Test("Temporary tables, views and indexes")
    func temporaryTables() throws {
        let connection = try prepare()
        try connection.execute("CREATE TEMP TABLE copy AS SELECT * FROM note")
        try connection.execute("CREATE INDEX temp.copy_by_text ON copy (text)")
        try connection.write { connection in
            try connection.execute("UPDATE copy SET text = text || text")
            try expectNoPlaintext()
        }
        #expect(try connection.value("SELECT count(*) FROM temp.copy") == Self.rows)
        try expectNoPlaintext()
    }

    @Test("Savepoints that are rolled back, and statements that fail midway") func statementJournals() throws {
        let connection = try prepare()
        try connection.execute("CREATE UNIQUE INDEX one ON note (id, text)")
        try connection.write { connection in
            #expect(throws: Stop.self) {
                try connection.savepoint { connection in
                    try connection.execute("UPDATE note SET text = text || 'x'")
                    try expectNoPlaintext()
                    throw Stop()
                }
            }
            // Fails at the last row and undoes the others from its journal.
            let error = try #require(throws: LockstepError.self) {
                try connection.execute("UPDATE note SET id = iif(id = ?, 100001, id + 100000)", Self.rows)
            }
            #expect(error.code == .constraint)
            try expectNoPlaintext()
        }
    }

    @Test("Vacuuming")
    func vacuuming() throws {
        let connection = try prepare()
        try connection.execute("DELETE FROM note WHERE id % 2 = 0")
        let watch = PlaintextWatch(scratch.folder.path, marker)
        while watch.searches < 5 { try connection.vacuum() }
        #expect(watch.stop() == [])
        try expectNoPlaintext()
    }

    @Test("A full-text index")
    func fullText() throws {
        let connection = try prepare()
        try connection.execute("CREATE VIRTUAL TABLE words USING fts5(text)")
        try connection.execute("INSERT INTO words SELECT text FROM note")
        try connection.execute("INSERT INTO words (words) VALUES ('optimize')")
        try expectNoPlaintext()
        #expect(try connection.value("SELECT count(*) FROM words WHERE words MATCH 'filling'") == Self.rows)
    }
}
