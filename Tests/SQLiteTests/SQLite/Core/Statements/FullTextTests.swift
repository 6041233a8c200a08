import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Full-text search over an encrypted file")
struct FullTextTests {
    private let scratch: DatabaseScratch
    /// Distinguishes the texts' words from everything else in the files.
    private static let marker = "zanzibarquagga"

    init() throws {
        scratch = try DatabaseScratch()
        let connection = try scratch.create()
        try connection.execute("CREATE VIRTUAL TABLE pages USING fts5(title, body, tokenize = 'unicode61')")
        let texts = [
            ("Foxes", "The quick brown fox jumps over the lazy dog"), ("Dogs", "A dog, a lazy dog, and another dog"),
            ("Städte", "Zürich und Genf: \(Self.marker) überall"),
        ]
        try connection.write { connection in
            for (title, body) in texts {
                try connection.execute("INSERT INTO pages VALUES (\(title), \(body))")
            }
        }
    }

    private func titles(_ query: String, _ connection: borrowing Connection) throws -> [String] {
        try connection.query(
            "SELECT title FROM pages WHERE pages MATCH \(query) ORDER BY rank"
        ) { row in try row[0] }
    }

    @Test("Words, phrases, prefixes and columns are found, best match first, after reopening") func match() throws {
        let connection = try scratch.open()
        #expect(try titles("dog", connection) == ["Dogs", "Foxes"])
        #expect(try titles("\"brown fox\"", connection) == ["Foxes"])
        #expect(try titles("qui*", connection) == ["Foxes"])
        #expect(try titles("dog NOT fox", connection) == ["Dogs"])
        #expect(try titles("title: dogs", connection) == ["Dogs"])
        #expect(try titles("ZURICH", connection) == ["Städte"])
        #expect(try titles("nothing", connection) == [])
        let ranks = try connection.query(
            "SELECT rank, bm25(pages) FROM pages('dog') ORDER BY rank", as: (Double, Double).self)
        #expect(ranks.count == 2 && ranks[0].0 < ranks[1].0)
        #expect(ranks.allSatisfy { $0.0 == $0.1 && $0.0 < 0 })
    }

    @Test("Snippets and highlights show the matches")
    func auxiliary() throws {
        let connection = try scratch.open()
        let highlighted: String? = try connection.value(
            "SELECT highlight(pages, 1, '[', ']') FROM pages WHERE pages MATCH ?", "fox")
        #expect(highlighted == "The quick brown [fox] jumps over the lazy dog")
        let snippet: String? = try connection.value(
            "SELECT snippet(pages, -1, '<', '>', '…', 3) FROM pages WHERE pages MATCH ?", "fox")
        #expect(snippet?.contains("<fox>") == true && snippet?.contains("…") == true)
    }

    @Test("An invalid full-text query is an error that hides the query, and the next query works")
    func malformed() throws {
        let connection = try scratch.open()
        for query in ["\"hunter2", "hunter2 AND", "nosuch: hunter2", "*", "hunter2)"] {
            let error = try #require(throws: LockstepError.self) {
                _ = try titles(query, connection)
            }
            #expect(error.code == .sqlFailed)
            #expect(!error.description.contains("hunter2"))
        }
        #expect(try titles("fox", connection) == ["Foxes"])
    }

    @Test("Updates, deletions, rolled-back writes and maintenance keep the index consistent")
    func maintenance() throws {
        let connection = try scratch.open()
        try connection.execute("UPDATE pages SET body = 'A cat' WHERE title = 'Foxes'")
        try connection.execute("DELETE FROM pages WHERE title = 'Dogs'")
        #expect(try titles("dog", connection) == [])
        #expect(throws: Stop.self) {
            try connection.write { connection in
                try connection.execute("INSERT INTO pages VALUES ('Lost', 'cat')")
                #expect(try titles("cat", connection).count == 2)
                throw Stop()
            }
        }
        #expect(try titles("cat", connection) == ["Foxes"])
        for command in ["optimize", "rebuild", "integrity-check"] {
            try connection.execute("INSERT INTO pages (pages) VALUES (\(command))")
        }
        #expect(try titles("cat", connection) == ["Foxes"])
        #expect(try connection.value("PRAGMA integrity_check") == "ok")
    }

    @Test("Triggers keep an external-content index consistent")
    func externalContent() throws {
        let connection = try scratch.open()
        try connection.run(
            script: """
                CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT);
                CREATE VIRTUAL TABLE found USING fts5(text, content = 'note', content_rowid = 'id');
                CREATE TRIGGER put AFTER INSERT ON note BEGIN
                    INSERT INTO found (rowid, text) VALUES (new.id, new.text); END;
                CREATE TRIGGER cut AFTER DELETE ON note BEGIN
                    INSERT INTO found (found, rowid, text) VALUES ('delete', old.id, old.text); END;
                INSERT INTO note (text) VALUES ('one fish'), ('two fish');
                DELETE FROM note WHERE id = 1;
                """)
        let sql: SQL = "SELECT rowid FROM found WHERE found MATCH 'fish'"
        #expect(try connection.query(sql) { row in try row[0] as Int } == [2])
        #expect(connection.changes == 1)
    }

    @Test("The program cannot write the index's shadow tables")
    func shadowTables() throws {
        let connection = try scratch.open()
        #expect(throws: LockstepError.self) { try connection.execute("DELETE FROM pages_data") }
        #expect(throws: LockstepError.self) { try connection.execute("DROP TABLE pages_data") }
        #expect(try titles("fox", connection) == ["Foxes"])
    }

    @Test("No word of a text is readable in any file, while it is written, searched or merged")
    func noPlaintext() throws {
        let search = PlaintextSearch(scratch.folder.path)
        let connection = try scratch.open()
        try connection.write { connection in
            for number in 0..<300 {
                try connection.execute(
                    "INSERT INTO pages VALUES ('n', \("\(Self.marker) word\(number) \(number * 7)"))")
            }
            #expect(try search.places(of: Self.marker) == [])
        }
        #expect(try titles(Self.marker, connection).count == 301)
        try connection.execute("INSERT INTO pages (pages) VALUES ('optimize')")
        #expect(try search.places(of: Self.marker) == [])
        // The search would find it.
        try scratch.folder.write("control", "x\(Self.marker)x")
        #expect(try search.places(of: Self.marker).count == 1)
    }
}
