import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Hardened connections")
struct HardeningTests {
    private let scratch: DatabaseScratch

    init() throws {
        scratch = try DatabaseScratch()
        try scratch.fill(rows: 3)
    }

    private func failure(
        _ sql: String, _ location: SourceLocation = #_sourceLocation
    ) throws -> LockstepError {
        let connection = try scratch.open()
        return try #require(throws: LockstepError.self, sourceLocation: location) {
            try connection.execute(SQL(verbatim: sql))
        }
    }

    @Test(
        "A double-quoted string is a name and never text",
        arguments: [
            "SELECT \"nosuch\"", "SELECT id FROM item WHERE body = \"nosuch\"",
            "CREATE INDEX i ON item (\"nosuch\")", "CREATE TABLE t (a CHECK (a <> \"nosuch\"))",
        ])
    func doubleQuotes(_ sql: String) throws {
        #expect(try failure(sql).code == .sqlFailed)
    }

    @Test("The schema table cannot be written")
    func schemaTable() throws {
        let error = try failure("UPDATE sqlite_schema SET sql = '' WHERE name = 'item'")
        #expect(error.message.contains("may not be modified"))
        #expect(throws: LockstepError.self) {
            try scratch.open().execute("DELETE FROM sqlite_schema")
        }
        // Not even where the authorizer would allow it.
        let connection = try scratch.open()
        try connection.with(rights: .engine) {
            try connection.execute("PRAGMA writable_schema = ON")
        }
        #expect(throws: LockstepError.self) { try connection.execute("DELETE FROM sqlite_schema") }
        #expect(try scratch.count(connection) == 3)
    }

    @Test("The journal cannot be switched off")
    func journalOff() throws {
        let connection = try scratch.open()
        try? connection.execute("PRAGMA journal_mode = OFF")
        #expect(try connection.value("PRAGMA journal_mode") == "wal")
    }

    @Test("The shadow tables of a virtual table cannot be written")
    func shadowTables() throws {
        let connection = try scratch.open()
        try connection.execute("CREATE VIRTUAL TABLE words USING fts5(text)")
        try connection.execute("INSERT INTO words VALUES ('one two')")
        let error = try #require(throws: LockstepError.self) {
            try connection.execute("DELETE FROM words_data")
        }
        #expect(error.code == .sqlFailed)
        #expect(try connection.value("SELECT count(*) FROM words WHERE words MATCH 'two'") == 1)
    }

    @Test("A schema cannot call functions with side effects without the program's knowledge")
    func trustedSchema() throws {
        let connection = try scratch.open()
        #expect(try connection.value("PRAGMA trusted_schema") == 0)
        try connection.execute("CREATE VIEW trap AS SELECT fts3_tokenizer('simple') FROM item")
        let error = try #require(throws: LockstepError.self) {
            try connection.execute("SELECT * FROM trap")
        }
        #expect(error.message.contains("unsafe use"))
    }

    @Test(
        "SQL cannot weaken the hardening of a connection",
        arguments: ["trusted_schema", "cell_size_check"])
    func staysHard(_ pragma: String) throws {
        let connection = try scratch.open()
        let hard: Int? = try connection.value("PRAGMA \(verbatim: pragma)")
        for value in ["ON", "OFF"] {
            try? connection.execute("PRAGMA \(verbatim: pragma) = \(verbatim: value)")
            #expect(try connection.value("PRAGMA \(verbatim: pragma)") == hard)
        }
    }

    @Test("Extensions cannot be loaded")
    func extensions() throws {
        let error = try failure("SELECT load_extension('libm.so.6')")
        #expect([.sqlFailed, .denied].contains(error.code))
    }

    @Test("Foreign keys are enforced")
    func foreignKeys() throws {
        let connection = try scratch.open()
        try connection.execute("CREATE TABLE child (item INTEGER REFERENCES item)")
        try connection.execute("INSERT INTO child VALUES (3)")
        for sql in ["INSERT INTO child VALUES (4)", "DELETE FROM item WHERE id = 3"] {
            let error = try #require(throws: LockstepError.self) {
                try connection.execute(SQL(verbatim: sql))
            }
            #expect(error.code == .constraint)
        }
    }

    @Test("A text is hashed in UTF-8 in a file whose texts are UTF-16 too")
    func hashesUTF8() throws {
        let connection = try Connection.inMemory()
        try connection.run(
            script: """
                PRAGMA encoding = 'UTF-16le';
                CREATE TABLE t (a TEXT);
                INSERT INTO t VALUES ('dé'), ('');
                """)
        #expect(try connection.value("PRAGMA encoding") == "UTF-16le")
        let digests = try connection.query("SELECT lockstep_sha256(a) FROM t ORDER BY rowid") {
            row in try row[0] as [UInt8]
        }
        let (text, empty) = (Array("dé".utf8), [UInt8]())
        let expected = try [HashFunction.sha256.digest(text.span), HashFunction.sha256.digest(empty.span)]
        #expect(digests == expected)
    }

    @Test("Every connection hashes with lockstep_sha256, over blobs and texts alike")
    func sha256() throws {
        let connection = try scratch.open(.init())
        let empty = "E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855"
        let abc = "BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD"
        for (input, digest) in [
            (Value.text(""), empty), (.blob([]), empty), (.text("abc"), abc), (.blob(Array("abc".utf8)), abc),
        ] {
            #expect(try connection.value("SELECT hex(lockstep_sha256(?))", input) == digest)
        }
        let ofNull: Value? = try connection.value("SELECT lockstep_sha256(NULL)")
        #expect(ofNull == .null)
        let of2MB: [UInt8]? = try connection.value("SELECT lockstep_sha256(zeroblob(2000000))")
        #expect(of2MB?.count == 32)
        #expect(throws: LockstepError.self) { try connection.execute("SELECT lockstep_sha256()") }
    }
}
