import SystemPackage
import TestSupport
import Testing

@testable import Lockstep

/// A database to damage, with rows that are known outside it, and a place for the recovered one.
///
/// Each row's text begins with its own marker, so that a test can see on which page the row is without parsing pages.
struct SalvageScratch {
    let scratch: DatabaseScratch

    init() throws { scratch = try DatabaseScratch() }

    var forge: PageForge { PageForge(scratch: scratch) }
    var target: FilePath { scratch.folder.file("new.db") }

    static func text(_ id: Int, length: Int) -> String {
        let marker = "#\(String(1_000_000 + id).dropFirst())#"
        return marker + String(repeating: "å", count: (length - marker.utf8.count) / 2)
    }

    /// The table `item (id, body, number)` with these rows, and an index; everything in the main file.
    @discardableResult
    func fill(
        rows: Int, length: Int = 200, definition: String = Self.item
    ) throws -> [Int: String] {
        let connection = try scratch.create()
        try connection.execute(SQL(verbatim: definition))
        try connection.execute("CREATE INDEX by_number ON item (number)")
        return try add(1...rows, length: length, to: connection)
    }

    static let item = "CREATE TABLE item (id INTEGER PRIMARY KEY, body TEXT NOT NULL, number INTEGER)"

    @discardableResult
    func add(
        _ ids: ClosedRange<Int>, length: Int = 200, to connection: borrowing Connection
    ) throws -> [Int: String] {
        var rows: [Int: String] = [:]
        try connection.write { connection in
            let insert = try connection.prepare("INSERT INTO item (id, body, number) VALUES (?, ?, ?)")
            for id in ids {
                let text = Self.text(id, length: length)
                rows[id] = text
                try insert.run(id, text, id * 7)
            }
        }
        return rows
    }

    func root(of name: String) throws -> Int {
        let root: Int? = try scratch.open().value("SELECT rootpage FROM sqlite_schema WHERE name = ?", name)
        return try #require(root)
    }

    // MARK: Salvaging

    /// Salvages, and checks the invariants: the damaged file is unchanged, the new one is the only other file, and it
    /// is intact, accessible to its owner only, and not plaintext.
    @discardableResult
    func salvage(
        schema: [String] = [], location: SourceLocation = #_sourceLocation
    ) throws -> SalvageReport {
        let names = try scratch.names
        let before = try names.map { try Bytes.read(scratch.folder.file($0)) }
        let report = try Salvage(scratch.path, into: target, schema: schema).run(
            key: scratch.key(), newKey: scratch.key(2))
        let after = try names.map { try Bytes.read(scratch.folder.file($0)) }
        #expect(before == after, sourceLocation: location)
        #expect(try scratch.names == (names + ["new.db"]).sorted(), sourceLocation: location)
        #expect(try DatabaseScratch.mode(of: target) == 0o600, sourceLocation: location)
        let new = try Bytes.read(target)
        #expect(!Bytes.contain(new, "#000001#"), sourceLocation: location)
        #expect(!Bytes.contain(new, "CREATE TABLE"), sourceLocation: location)
        let audit = try PageAudit(target).run(key: scratch.key(2))
        #expect(audit.isClean && audit.frames == 0, sourceLocation: location)
        return report
    }

    func openNew() throws -> Connection { try Connection.open(target, key: scratch.key(2)) }

    /// The rows of `item` in the new database.
    func rows() throws -> [Int: String] {
        let rows = try openNew().query("SELECT id, body FROM item") { row in
            (try row[0] as Int, try row[1] as String)
        }
        return Dictionary(uniqueKeysWithValues: rows)
    }
}

extension SalvageReport {
    /// The result for a table.
    func table(_ name: String) throws -> Table {
        try #require(tables.first { $0.name == name })
    }
}
