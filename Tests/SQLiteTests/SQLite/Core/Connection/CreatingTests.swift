import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Creating a database")
struct CreatingTests {
    private static let marker = "plaintext-marker-of-creating"

    @Test("Only the owner can read and write the file and its side files")
    func modes() throws {
        let scratch = try DatabaseScratch()
        let connection = try scratch.create()
        try connection.execute("CREATE TABLE t (a)")
        for suffix in ["", "-wal", "-shm"] {
            #expect(try DatabaseScratch.mode(of: scratch.side(suffix)) == 0o600, "\(suffix)")
        }
    }

    @Test("The file begins with the key's salt and has whole pages")
    func salt() throws {
        let scratch = try DatabaseScratch()
        _ = try scratch.create()
        let bytes = try scratch.bytes
        #expect(Array(bytes.prefix(16)) == DatabaseScratch.salt(1))
        #expect(bytes.count >= 4096 && bytes.count.isMultiple(of: 4096))
    }

    @Test("Neither the file, its log nor its index shows inserted text or SQLite's own words")
    func ciphertext() throws {
        let scratch = try DatabaseScratch()
        let connection = try scratch.create()
        try connection.execute("CREATE TABLE secret_table (a)")
        try connection.execute("INSERT INTO secret_table VALUES (?)", Self.marker)
        for suffix in ["", "-wal", "-shm"] {
            let bytes = try Bytes.read(scratch.side(suffix))
            for word in [Self.marker, "secret_table", "CREATE TABLE", "SQLite format 3"] {
                #expect(!Bytes.contain(bytes, word), "\(word) in \(suffix)")
            }
        }
        #expect(try Bytes.read(scratch.side("-wal")).count > 4096, "the row is not in the log")
        try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        #expect(!Bytes.contain(try scratch.bytes, Self.marker))
        #expect(!Bytes.contain(try scratch.bytes, "secret_table"))
    }

    @Test("A new database carries Lockstep's mark, WAL mode and pages of 4096 bytes")
    func header() throws {
        let scratch = try DatabaseScratch()
        let connection = try scratch.create()
        #expect(try connection.headerField("application_id") == Connection.applicationID)
        #expect(try connection.value("PRAGMA journal_mode") == "wal")
        #expect(try connection.value("PRAGMA page_size") == "4096")
        #expect(try connection.value("PRAGMA foreign_keys") == 1)
    }

    @Test("An existing file is refused and left unchanged")
    func existing() throws {
        let scratch = try DatabaseScratch()
        for content in [[], [1, 2, 3], [UInt8](repeating: 7, count: 8192)] {
            try Bytes.write(content, to: scratch.path)
            let error = try #require(throws: LockstepError.self) { _ = try scratch.create() }
            #expect(error.code == .alreadyExists)
            #expect(try scratch.bytes == content)
            #expect(try scratch.names == ["data.db"])
        }
    }

    @Test("An existing database is refused and still opens")
    func existingDatabase() throws {
        let scratch = try DatabaseScratch()
        try scratch.fill(rows: 3)
        let error = try #require(throws: LockstepError.self) { _ = try scratch.create() }
        #expect(error.code == .alreadyExists)
        #expect(try scratch.count(scratch.open()) == 3)
    }

    @Test("A folder or a link, even a dangling one, in the file's place is refused") func folderOrLink() throws {
        let scratch = try DatabaseScratch()
        let link = scratch.folder.file("link.db")
        try FileManager.default.createSymbolicLink(
            atPath: link.string, withDestinationPath: scratch.folder.file("nowhere").string)
        for path in [scratch.folder.path, link] {
            let error = try #require(throws: LockstepError.self) {
                _ = try Connection.create(path, key: scratch.key())
            }
            #expect(error.code == .alreadyExists)
        }
        #expect(try scratch.names == ["link.db"])
    }

    @Test(
        "A leftover side file is refused and left unchanged",
        arguments: ["-wal", "-shm", "-journal"])
    func leftover(_ suffix: String) throws {
        let scratch = try DatabaseScratch()
        try Bytes.write([9], to: scratch.side(suffix))
        let error = try #require(throws: LockstepError.self) { _ = try scratch.create() }
        #expect(error.code == .alreadyExists)
        #expect(error.message.contains("data.db\(suffix)"))
        #expect(error.hint != nil)
        #expect(try Bytes.read(scratch.side(suffix)) == [9])
        #expect(try scratch.names == ["data.db\(suffix)"])
    }

    @Test("The next creation removes what a killed one left, unless someone makes a file there")
    func leftBehind() throws {
        let scratch = try DatabaseScratch()
        let left = [".data.db.1a2b.new", ".data.db.1a2b.new-journal", ".data.db.9z.new-wal"]
        let others = [".data.db.a.1b.new", ".data.db.new", ".other.db.1a2b.new", "data.db.1a2b.new"]
        for name in left + others { try scratch.folder.write(name, "x") }
        do {
            let other = try PendingDatabase(for: scratch.folder.file("copy.db"))
            PendingCopies.removeAbandoned(of: scratch.path)
            #expect(Set(try scratch.names).isSuperset(of: left), "\(other.path) is being made")
        }
        PendingCopies.removeAbandoned(of: scratch.folder.file("none").appending("data.db"))
        _ = try scratch.create()
        let kept = try scratch.names.filter { $0.contains("new") }
        #expect(kept == others.sorted())
        #expect(try scratch.open().value("PRAGMA journal_mode") == "wal")
    }

    @Test("A missing folder is not found")
    func missingFolder() throws {
        let scratch = try DatabaseScratch("missing/data.db")
        let error = try #require(throws: LockstepError.self) { _ = try scratch.create() }
        #expect(error.code == .notFound)
    }

    @Test("A creation that fails midway leaves no files")
    func failingMidway() throws {
        // Long enough for the file's own name, too long with a side file's suffix.
        let scratch = try DatabaseScratch(String(repeating: "n", count: 254))
        let error = try #require(throws: LockstepError.self) { _ = try scratch.create() }
        #expect(error.code == .inputOutput)
        #expect(try scratch.names == [])
    }

    @Test("A path over SQLite's limit is an error, and leaves no files")
    func longPath() throws {
        let folder = try TemporaryFolder()
        var deep = folder.path
        for _ in 0..<4 { deep.append(String(repeating: "d", count: 200)) }
        try FileManager.default.createDirectory(atPath: deep.string, withIntermediateDirectories: true)
        let scratch = try DatabaseScratch()
        let error = try #require(throws: LockstepError.self) {
            _ = try Connection.create(deep.appending("data.db"), key: scratch.key())
        }
        #expect(error.code == .inputOutput)
        #expect(try FileManager.default.contentsOfDirectory(atPath: deep.string) == [])
    }

    @Test("Names with spaces, quotes, percent signs, question marks and emoji are plain names")
    func strangeNames() throws {
        for name in ["a b.db", "it's.db", "100%41.db", "x?mode=memory", "#.db", "🔐 data.db"] {
            let scratch = try DatabaseScratch(name)
            try scratch.fill(rows: 2)
            #expect(try scratch.names == [name])
            #expect(try scratch.count(scratch.open()) == 2)
        }
    }

    @Test("A database in memory works and touches no file")
    func inMemory() throws {
        let connection = try Connection.inMemory()
        try connection.execute("CREATE TABLE t (a)")
        try connection.execute("INSERT INTO t VALUES (?)", 1)
        #expect(try connection.value("SELECT a FROM t") == 1)
        #expect(connection.path == ":memory:")
        #expect(!FileManager.default.fileExists(atPath: ":memory:"))
    }
}
