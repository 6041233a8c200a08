import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite(
    "Interoperability with the sqlcipher shell",
    .enabled(if: SQLCipherShell.isPresent, SQLCipherShell.missing))
struct InteropTests {
    private static let key = [UInt8](repeating: 1, count: 32)

    @Test("SQLCipher's shell opens a Lockstep file with the raw key and shows its rows") func shellReadsOurs() throws {
        let scratch = try DatabaseScratch()
        do {
            let connection = try scratch.create()
            try connection.execute("CREATE TABLE film (title TEXT, year INTEGER) STRICT")
            try connection.execute("INSERT INTO film VALUES (?, ?), ('Ran', 1985)", "Playtime", 1967)
        }
        let lines = try SQLCipherShell.run(
            "SELECT title, year FROM film ORDER BY year; PRAGMA cipher_integrity_check;",
            on: scratch.path, key: Self.key)
        #expect(lines == ["Playtime|1967", "Ran|1985"])
    }

    @Test("With another key the shell shows nothing")
    func shellNeedsTheKey() throws {
        let scratch = try DatabaseScratch()
        try scratch.fill(rows: 3)
        let lines = try SQLCipherShell.run(
            "SELECT count(*) FROM item;", on: scratch.path, key: [UInt8](repeating: 2, count: 32))
        #expect(lines.last?.contains("file is not a database") == true, "\(lines)")
        #expect(!lines.contains("3"))
    }

    @Test("A file that the shell made with a raw key opens, and all its pages verify") func weReadTheShells() throws {
        let scratch = try DatabaseScratch()
        let lines = try SQLCipherShell.run(
            """
            CREATE TABLE film (title TEXT);
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
            INSERT INTO film SELECT 'film number ' || i FROM n;
            """, on: scratch.path, key: Self.key)
        #expect(lines == [])
        let audit = try PageAudit(scratch.path).run(key: scratch.key())
        #expect(audit.isClean && audit.pages > 5)
        #expect(try Diagnosis.examine(scratch.path, key: scratch.key()) == .keyFits(strayBytes: 0))
        #expect(try scratch.open().value("SELECT count(*) FROM film") == 1000)
    }

    /// Another program's operations on a database that it has open.
    enum Look: String, CaseIterable {
        case nothing, openingAgain, sharing, auditing, examining

        func run(_ scratch: DatabaseScratch) throws {
            switch self {
            case .nothing: break
            case .openingAgain: _ = try scratch.open()
            case .sharing: _ = try Store.open(scratch.path, rawKey: scratch.key())
            case .auditing: _ = try PageAudit(scratch.path).run(key: scratch.key())
            case .examining: _ = try Diagnosis.examine(scratch.path, key: scratch.key())
            }
        }
    }

    // Closing any descriptor of a file drops all locks that the process has on it (fcntl(2)).
    // Without Lockstep's lock on the main file, another program that closes the database takes itself for the last
    // connection, and removes the log that Lockstep still writes to.
    @Test(
        "Another program that opens and closes the database causes no loss",
        arguments: Look.allCases)
    func otherProgramClosing(_ look: Look) throws {
        let scratch = try DatabaseScratch()
        try scratch.fill(rows: 3)
        do {
            let connection = try scratch.open()
            try scratch.add(rows: 1, to: connection)
            try look.run(scratch)
            #expect(try rowsInShell(scratch) == "4")
            #expect(try scratch.names == ["data.db", "data.db-shm", "data.db-wal"])
            try scratch.add(rows: 1, to: connection)
            #expect(try rowsInShell(scratch) == "5")
        }
        #expect(try scratch.count(scratch.open()) == 5)
    }

    @Test("A database that was just created is also safe from other programs") func otherProgramAfterCreating() throws {
        let scratch = try DatabaseScratch()
        let connection = try scratch.create()
        try connection.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, body BLOB)")
        #expect(try rowsInShell(scratch) == "0")
        try scratch.add(rows: 1, to: connection)
        #expect(try rowsInShell(scratch) == "1")
    }

    private func rowsInShell(_ scratch: DatabaseScratch) throws -> String? {
        try SQLCipherShell.run("SELECT count(*) FROM item;", on: scratch.path, key: Self.key).last
    }
}
