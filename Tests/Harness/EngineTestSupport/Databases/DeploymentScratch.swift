import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import Lockstep

/// A database at version 1 of a set, with rows in it, and sets that continue from there.
struct DeploymentScratch {
    static let first = Scratch.up(
        """
        CREATE TABLE item (id INTEGER PRIMARY KEY, body TEXT NOT NULL);
        CREATE TABLE note (id INTEGER PRIMARY KEY, item INTEGER REFERENCES item (id));
        """, down: "DROP TABLE note; DROP TABLE item;")
    static let second = Scratch.up(
        "ALTER TABLE item ADD COLUMN size INTEGER; UPDATE item SET size = length(body);",
        down: "-- lockstep: allow loss of column item.size\nALTER TABLE item DROP COLUMN size;")
    static let third = Scratch.up(
        "CREATE TABLE tag (name TEXT PRIMARY KEY); INSERT INTO tag VALUES ('a'), ('b');",
        down: "-- lockstep: allow loss of table tag\nDROP TABLE tag;")
    /// Fails after its first statement.
    static let failing = Scratch.up("CREATE TABLE last (x);\nCREATE TABEL wrong (x);")
    /// Succeeds if there are items, and fails in a fresh build of the schema.
    static let drifting = Scratch.up(
        "CREATE TABLE many (n INTEGER CHECK (n > 0)); INSERT INTO many SELECT count(*) FROM item;")

    let database: DatabaseScratch

    /// A text in the rows to search for.
    static let secret = "the body of an item"

    init(rows: Int = 50) throws {
        database = try DatabaseScratch()
        let connection = try database.create()
        _ = try Migrator(Scratch.set(Self.first)).run(on: connection)
        try add(rows, to: connection)
    }

    func add(_ rows: Int, to connection: borrowing Connection) throws {
        try connection.write { connection in
            for number in 0..<rows {
                try connection.execute("INSERT INTO item (body) VALUES (?)", "\(Self.secret) \(number)")
            }
        }
    }

    var path: FilePath { database.path }
    var folder: TemporaryFolder { database.folder }

    func access() throws -> DatabaseAccess { try DatabaseAccess(rawKey: database.key()) }

    static func good() throws -> MigrationSet { try Scratch.set(first, second, third) }
    static func failingAtThird() throws -> MigrationSet { try Scratch.set(first, second, failing) }
    static func driftingAtThird() throws -> MigrationSet {
        try Scratch.set(first, second, drifting)
    }

    /// The names in the folder, except the lock file's.
    var names: [String] {
        get throws {
            try database.names.filter { !$0.hasSuffix("-lock") && !$0.hasSuffix(".custody") }
        }
    }

    var backups: [String] { get throws { try names.filter { $0.hasSuffix("before-migration") } } }

    /// The whole content of the database: the schema, every row of every table, the header's numbers.
    /// - Parameter ignored: Columns, in any table, whose values do not matter.
    static func content(
        _ connection: borrowing Connection, without ignored: Set<String> = []
    ) throws -> [String] {
        var content = try connection.query(
            "SELECT type || name || coalesce(sql, '') FROM sqlite_schema ORDER BY type, name"
        ) { row in try row[0] as String }
        let tables = try connection.query(
            "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"
        ) { row in try row[0] as String }
        for table in tables {
            let names = try connection.query(
                "SELECT name FROM pragma_table_xinfo(?) WHERE hidden <> 1", table
            ) { row in try row[0] as String }
            let columns = names.filter { !ignored.contains($0) }.map { "quote(\"\($0)\")" }
            content += try connection.query(
                SQL(
                    verbatim:
                        "SELECT concat_ws('|', '\(table)', \(columns.joined(separator: ", "))) "
                        + "FROM \"\(table)\" ORDER BY 1")
            ) { row in try row[0] as String }
        }
        for field: StaticString in ["user_version", "application_id"] {
            content.append("\(field) \(try connection.headerField(field))")
        }
        return content
    }

    func content() throws -> [String] { try Self.content(database.open()) }

    func applied() throws -> [String] {
        let connection = try database.open()
        return try Ledger.entries(connection).map(\.version.description)
    }

    /// Expects an undamaged database whose ledger and schema agree.
    func expectSound(_ set: MigrationSet, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let report = try Verification(path, sets: [set]).run(key: database.key())
        #expect(report.isClean, "\(report)", sourceLocation: sourceLocation)
    }
}
