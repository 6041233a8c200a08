import CSQLCipher
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// A quoted keyword is a name. A bare one can be a name, too, or something else altogether: two forms are equal
/// only where SQLite treats both the same.
@Suite("Keywords as names")
struct KeywordTests {
    private static let keywords: [String] = {
        (0..<sqlite3_keyword_count()).compactMap { index in
            var start: UnsafePointer<CChar>?
            var count: Int32 = 0
            guard sqlite3_keyword_name(index, &start, &count) == SQLITE_OK,
                let start = start
            else { return nil }
            let bytes = UnsafeRawBufferPointer(start: start, count: Int(count))
            return String(decoding: bytes, as: UTF8.self).asciiLowercased
        } + ["true", "false", "rowid"]
    }()

    /// Positions for a word, marked by `?`.
    private static let contexts = [
        "CREATE VIEW x AS SELECT ? FROM t", "CREATE VIEW x AS SELECT a ? FROM t",
        "CREATE VIEW x AS SELECT t.a FROM t ? JOIN u", "CREATE VIEW x AS SELECT t.a FROM t ?, u",
        "CREATE VIEW x AS SELECT count(*) ? FROM t", "CREATE VIEW x AS SELECT ?(a) FROM t",
        "CREATE VIEW x AS SELECT count(*) ? (ORDER BY a) FROM t", "CREATE VIEW x AS SELECT a FROM t WHERE a ? b",
        "CREATE VIEW x AS SELECT a FROM t WHERE ? b",
        "CREATE VIEW x AS SELECT a FROM t ORDER BY a ?", "CREATE VIEW x AS SELECT a FROM t ? 1",
        "CREATE VIEW x AS SELECT sum(a) OVER (ORDER BY a ROWS ? PRECEDING) FROM t",
        "CREATE VIEW x AS SELECT a FROM t ? SELECT b FROM t", "CREATE VIEW x AS WITH ? r AS (SELECT 1) SELECT * FROM r",
        "CREATE VIEW x AS SELECT CASE WHEN a THEN b ? END FROM t",
        "CREATE TABLE x (a DEFAULT ?)", "CREATE TABLE x (a DEFAULT (?))", "CREATE TABLE x (a ?)",
        "CREATE TABLE x (a INT ?)", "CREATE TABLE x (?)", "CREATE TABLE x (a CHECK (?))",
        "CREATE TABLE x (a, b CHECK (a ? b))", "CREATE TABLE x (a, ? CHECK (? > 1))",
        "CREATE TABLE x (a REFERENCES u ON DELETE ?)", "CREATE TABLE x (a REFERENCES u MATCH ?)",
        "CREATE TABLE x (a COLLATE ?)", "CREATE TABLE x (a PRIMARY KEY ?)", "CREATE TABLE x (a) ?",
        "CREATE INDEX x ON t (a ?)", "CREATE INDEX x ON t (?)",
        "CREATE TRIGGER x ? INSERT ON t BEGIN SELECT 1; END",
        "CREATE TRIGGER x AFTER INSERT ON t BEGIN SELECT ?; END",
        "CREATE TRIGGER x AFTER INSERT ON t BEGIN SELECT ?(ignore); END",
        "CREATE TRIGGER x AFTER INSERT ON t WHEN ? BEGIN SELECT 1; END",
    ]

    @Test("Bare and quoted are equal only where they have the same effect")
    func equality() throws {
        let connection = try Connection.inMemory()
        var compared = 0
        for (context, word) in Self.contexts.flatMap({ context in
            Self.keywords.map { (context, $0) }
        }) {
            let bare = context.replacing("?", with: word)
            let quoted = context.replacing("?", with: "\"\(word)\"")
            guard let one = try Self.schema(bare, word, connection),
                let other = try Self.schema(quoted, word, connection), one.snapshot == other.snapshot
            else { continue }
            compared += 1
            #expect(one.programs == other.programs, "\(bare)")
        }
        #expect(compared > 500)
    }

    @Test("A keyword that is not reserved can be a bare column name, and a reserved one cannot")
    func reserved() throws {
        let connection = try Connection.inMemory()
        for word in Self.keywords {
            let isBare = try Self.schema("CREATE TABLE x (\(word))", word, connection) != nil
            #expect(!isBare || SQLTokens.canonicalName(word) == word, "\(word)")
            #expect(isBare || SQLTokens.canonicalName(word) != word, "\(word)")
        }
    }

    /// The snapshot, if a table has a column of that name, and SQLite's programs for statements on the
    /// objects; nil if SQLite refuses the statement.
    private static func schema(
        _ statement: String, _ word: String, _ connection: borrowing Connection
    ) throws -> (snapshot: SchemaSnapshot, programs: [String])? {
        try connection.execute("BEGIN")
        defer { try? connection.execute("ROLLBACK") }
        try connection.execute("CREATE TABLE t (a, b, \(name: word))")
        try connection.execute("CREATE TABLE u (a PRIMARY KEY, c)")
        do {
            try connection.execute(SQL(verbatim: statement))
        } catch {
            return nil
        }
        var programs: [String] = []
        for sql in [
            "EXPLAIN SELECT * FROM x", "EXPLAIN INSERT INTO x DEFAULT VALUES", "EXPLAIN INSERT INTO t DEFAULT VALUES",
        ] {
            do {
                programs += try connection.query(SQL(verbatim: sql)) { row in
                    // The message of a failed CHECK quotes it as it was written, and a transaction counts the earlier
                    // schema changes.
                    let hasOwnText = ["Halt", "Transaction"].contains(try row[1] as String)
                    let columns = hasOwnText ? 0..<2 : 0..<row.count - 1
                    return "\(try columns.map { try row[$0] as Value })".asciiLowercased
                }
            } catch let error as LockstepError {
                programs.append("\(error.code)")
            }
        }
        return (try SchemaSnapshot(connection), programs)
    }
}
