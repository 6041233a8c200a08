import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Damaged plaintext files, whose pages nothing verifies.
@Suite("Salvage: plaintext files")
struct ForeignSalvageTests {
    private let scratch: CopyScratch

    init() throws { scratch = try CopyScratch() }

    private func salvage() throws -> SalvageReport {
        let before = try scratch.old.bytes
        let report = try Salvage(scratch.old.path, into: scratch.new.path).runPlaintext(newKey: scratch.new.key())
        #expect(try scratch.old.bytes == before && scratch.old.names == ["old.db"])
        #expect(try scratch.new.names == ["new.db"])
        #expect(try PageAudit(scratch.new.path).run(key: scratch.new.key()).isClean)
        return report
    }

    private static let rows = """
        WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 600)
        INSERT INTO item SELECT i, 'text ' || i || hex(zeroblob(i % 900)) FROM n
        """

    private func make(_ pageSize: Int, _ more: String...) throws {
        let database = try RawDatabase(scratch.old.path, key: nil)
        try database.run("PRAGMA page_size = \(pageSize)")
        try database.run("CREATE TABLE item (id INTEGER PRIMARY KEY, body TEXT NOT NULL)")
        try database.run("CREATE INDEX by_body ON item (body)")
        try database.run(Self.rows)
        for sql in more { try database.run(sql) }
    }

    private func rows() throws -> [Int: String] {
        let rows = try scratch.new.open().query("SELECT id, body FROM item") {
            (try $0[0] as Int, try $0[1] as String)
        }
        return Dictionary(uniqueKeysWithValues: rows)
    }

    private static let all = Dictionary(
        uniqueKeysWithValues: (1...600).map { id in
            (id, "text \(id)" + String(repeating: "0", count: 2 * (id % 900)))
        })

    @Test("A sound file gives everything, whatever its page size", arguments: [512, 4096, 65_536])
    func whole(_ pageSize: Int) throws {
        try make(pageSize)
        let report = try salvage()
        #expect(try rows() == Self.all)
        #expect(report.isComplete, "\(report)")
    }

    @Test(
        "A zeroed page costs its own rows, and puts none into another table",
        arguments: [512, 4096])
    func zeroed(_ pageSize: Int) throws {
        try make(pageSize, "CREATE TABLE other (id INTEGER PRIMARY KEY, body TEXT)")
        let bytes = try scratch.old.bytes
        let count = bytes.count / pageSize
        for page in Set([2, 4, 5, 9, count / 2, count]).sorted() {
            try Bytes.write(bytes, to: scratch.old.path)
            try scratch.old.damage {
                let start = (page - 1) * pageSize
                $0.replaceSubrange(start..<(start + pageSize), with: repeatElement(0, count: pageSize))
            }
            DatabaseScratch.remove(scratch.new.path)
            let report = try salvage()
            let back = try rows()
            // Without MACs a row whose overflow page is zeroed can come back with zeros.
            let wrong = back.filter { Self.all[$0.key] != $0.value }
            #expect(wrong.count <= 1 && back.count > 500, "page \(page): \(back.count) rows")
            #expect(try scratch.new.open().value("SELECT count(*) FROM other") == 0)
            #expect(!report.tables.isEmpty)
        }
    }

    @Test("A file without its end gives the rows before it")
    func cut() throws {
        try make(4096)
        try scratch.old.damage { $0.removeLast($0.count / 2) }
        let report = try salvage()
        #expect(report.missingPages > 0 && !report.isComplete)
        let back = try rows()
        #expect(back.count > 50 && back.allSatisfy { Self.all[$0.key] == $0.value })
    }

    @Test("What is in the log counts")
    func log() throws {
        let database = try RawDatabase(scratch.old.path, key: nil)
        try database.run("PRAGMA journal_mode = WAL")
        try database.run("CREATE TABLE item (id INTEGER PRIMARY KEY, body TEXT NOT NULL)")
        try database.run(Self.rows)
        let copy = scratch.old.folder.file("copy.db")
        try scratch.old.copy(to: copy)
        _ = try Salvage(copy, into: scratch.new.path).runPlaintext(newKey: scratch.new.key())
        #expect(try rows() == Self.all)
    }

    @Test("Full-text indexes are built from their texts", arguments: ["fts5", "fts4"])
    func fullText(_ module: String) throws {
        let used = "SELECT sqlite_compileoption_used('ENABLE_\(module == "fts5" ? "FTS5" : "FTS3")')"
        guard try Connection.inMemory().value(SQL(verbatim: used)) == 1 else { return }
        let index = module == "fts5" ? "docs_data" : "docs_segdir"
        let change = module == "fts5" ? "block = randomblob(120)" : "root = zeroblob(8)"
        try make(
            4096, "CREATE VIRTUAL TABLE docs USING \(module)(body)",
            "INSERT INTO docs SELECT 'word' || (id % 7) FROM item", "UPDATE \(index) SET \(change)")
        _ = try salvage()
        let found = "SELECT count(*) FROM docs WHERE docs MATCH 'word3'" as SQL
        #expect(try scratch.new.open().value(found) == 86)
    }

    @Test("An index of values that no file of this size can hold is left out, and costs no memory")
    func hostileIndex() throws {
        try make(
            4096, "PRAGMA writable_schema = 1",
            """
            INSERT INTO sqlite_master VALUES ('index', 'i', 'item',
                (SELECT rootpage FROM sqlite_master WHERE name = 'by_body'),
                'CREATE INDEX i ON item (hex(zeroblob(id * 400000000)))')
            """)
        let report = try salvage()
        #expect(report.failures.contains { $0.object == "index i" }, "\(report.failures)")
        #expect(try rows() == Self.all)
    }

    @Test("A file that is not plaintext, or has no page size, is refused")
    func refused() throws {
        try make(4096)
        try scratch.old.damage { $0[16] = 3 }
        Refusal.expect(.damaged) { _ = try salvage() }
        try scratch.old.damage { $0[0] = 3 }
        Refusal.expect(.malformedInput) { _ = try salvage() }
        #expect(try scratch.new.names == [])
    }
}
