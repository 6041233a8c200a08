import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Plaintext files of every form that SQLite writes.
@Suite("Adoption: file formats")
struct AdoptionFormatTests {
    private let scratch: CopyScratch

    init() throws { scratch = try CopyScratch() }

    private static let table = "CREATE TABLE t (id INTEGER PRIMARY KEY, text, data)"
    private static let rows = """
        WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 300)
        INSERT INTO t (text, data) SELECT 'Grüße 🙂 ' || i, randomblob(i * 7) FROM n
        """
    private static let dump = "SELECT id || quote(text) || quote(data) FROM t ORDER BY id"

    @Test(
        "Every encoding of text is adopted, with every character",
        arguments: ["UTF-8", "UTF-16le", "UTF-16be"])
    func encodings(_ encoding: String) throws {
        try scratch.makePlaintext(
            "PRAGMA encoding = '\(encoding)'", Self.table, Self.rows,
            "CREATE TABLE \"naïve 表\" (\"größe\" TEXT PRIMARY KEY) WITHOUT ROWID",
            "INSERT INTO \"naïve 表\" VALUES ('ä'), ('\u{FFFF}'), ('🙂'), ('z'), ('')")
        try scratch.adoptWhole([Self.dump, "SELECT quote(\"größe\") FROM \"naïve 表\" ORDER BY unicode(\"größe\")"])
        #expect(try scratch.new.open().value("PRAGMA encoding") == "UTF-8")
    }

    @Test(
        "Every page size is adopted",
        arguments: [512, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536])
    func pageSizes(_ size: Int) throws {
        try scratch.makePlaintext("PRAGMA page_size = \(size)", Self.table, Self.rows)
        let head = try scratch.old.bytes
        #expect(Int(head[16]) << 8 | Int(head[17]) == (size == 65_536 ? 1 : size))
        try scratch.adoptWhole([Self.dump])
    }

    @Test("Auto-vacuum files are adopted", arguments: ["FULL", "INCREMENTAL"])
    func autoVacuum(_ mode: String) throws {
        try scratch.makePlaintext(
            "PRAGMA auto_vacuum = \(mode)", Self.table, Self.rows, "DELETE FROM t WHERE id % 3 = 0")
        try scratch.adoptWhole([Self.dump])
    }

    @Test("The user version is copied, and the old application id is reported")
    func header() throws {
        try scratch.makePlaintext(
            "PRAGMA user_version = -7", "PRAGMA application_id = 252006673", Self.table, Self.rows)
        let report = try scratch.adoptWhole(["PRAGMA user_version", Self.dump])
        #expect(report.applicationID == 252_006_673)
        #expect(report.copy.rows == ["t": 300])
    }

    @Test("A database without tables is adopted, and so is one whose tables are empty")
    func empty() throws {
        try Bytes.write(PlaintextDatabase.bytes, to: scratch.old.path)
        #expect(try scratch.adoptWhole().copy.rows == [:])
        let other = try CopyScratch()
        try other.makePlaintext(Self.table)
        #expect(try other.adoptWhole().copy.rows == ["t": 0])
    }

    @Test("An empty file is not a database")
    func noBytes() throws {
        try Bytes.write([], to: scratch.old.path)
        try scratch.expectRefusal(.emptyDatabase)
    }

    @Test("A file whose header has a stale size, as old versions of SQLite leave it, is adopted")
    func staleSize() throws {
        try scratch.makePlaintext(Self.table, Self.rows)
        // Old versions increment the change counter and leave fields alone that they do not know: "the in-header
        // database size is only considered to be valid if the change counter matches".
        try scratch.old.damage { bytes in
            bytes[27] &+= 1
            bytes.replaceSubrange(28..<32, with: [0, 0, 0xFF, 0])
        }
        try scratch.adoptWhole([Self.dump])
    }

    // MARK: Logs and journals

    @Test("In WAL mode with an empty log, no file appears beside the original")
    func walMode() throws {
        try scratch.makePlaintext("PRAGMA journal_mode = WAL", Self.table, Self.rows)
        #expect(try scratch.old.names == ["old.db"])
        try scratch.adoptWhole([Self.dump])
    }

    @Test("Rows that are only in the log are adopted while their writer is running") func livingLog() throws {
        let writer = try RawDatabase(scratch.old.path, key: nil, "journal_mode = WAL")
        try writer.run(Self.table)
        try writer.run(Self.rows)
        #expect(try scratch.old.bytes.count == 4096)
        let report = try scratch.adoptWhole([Self.dump])
        #expect(report.copy.rows == ["t": 300])
        // The writer continues.
        try writer.run("INSERT INTO t (text) VALUES ('more')")
        #expect(try writer.run("SELECT count(*) FROM t") == ["301"])
    }

    @Test("Rows that are only in the log are adopted after a crash, and the log stays") func leftLog() throws {
        try leaveLog()
        let report = try scratch.adoptWhole([Self.dump])
        #expect(report.copy.rows == ["t": 300])
    }

    /// The result of a crash: a file of one page and a log with all other content.
    private func leaveLog() throws {
        let living = try DatabaseScratch("old.db")
        let writer = try RawDatabase(living.path, key: nil, "journal_mode = WAL")
        try writer.run(Self.table)
        try writer.run(Self.rows)
        try living.copy(to: scratch.old.path)
    }

    @Test("A crash during a checkpoint does not make the file look cut off")
    func halfCheckpoint() throws {
        let living = try DatabaseScratch("old.db")
        let writer = try RawDatabase(living.path, key: nil, "journal_mode = WAL")
        try writer.run(Self.table)
        try writer.run(Self.rows)
        try Bytes.write(Bytes.read(living.side("-wal")), to: scratch.old.side("-wal"))
        try writer.run("PRAGMA wal_checkpoint")
        // The first page has been copied back, the others not yet.
        try Bytes.write(Array(living.bytes.prefix(4096)), to: scratch.old.path)
        try scratch.adoptWhole([Self.dump])
    }

    @Test("A journal that needs a rollback is refused, not rolled back")
    func hotJournal() throws {
        let living = try DatabaseScratch("old.db")
        let writer = try RawDatabase(living.path, key: nil, "cache_size = 1")
        try writer.run(Self.table)
        try writer.run(Self.rows)
        try writer.run("BEGIN")
        try writer.run("UPDATE t SET text = 'lost', data = randomblob(length(data))")
        try living.copy(with: "-journal", to: scratch.old.path)
        // SQLite completes the header when it syncs the journal before a commit, which has not happened here.
        try scratch.old.damage("-journal") { bytes in
            if bytes[0] == 0 {
                bytes.replaceSubrange(0..<8, with: Bytes.hex("d9d505f920a163d7"))
            }
            bytes.replaceSubrange(8..<12, with: [0xFF, 0xFF, 0xFF, 0xFF])
        }
        let error = try scratch.expectRefusal(.readOnly)
        #expect(error?.hint?.contains("open and close it once") == true)
    }
}
