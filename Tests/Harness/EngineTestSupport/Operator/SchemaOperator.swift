import TestSupport
import Testing

@testable import Lockstep

/// A file with sealed films, and its operator: an attacker with the database's key who writes to the schema in the
/// file.
struct SchemaOperator {
    let bench: SealedTableWorkbench

    /// - Parameter index: A blind index of the titles.
    init(index: SealedIndex.Request? = nil) throws {
        bench = try SealedTableWorkbench()
        let connection = try bench.open()
        try connection.protect("title", of: "film", keys: bench.keys, indexes: index.map { [$0] } ?? [])
        try connection.execute("CREATE TABLE loot (a)")
    }

    /// Runs the operator's statements, without the engine.
    func tamper(_ statements: String...) throws {
        let key = try bench.databaseKey()
        let secret = key.secret.bytes.withUnsafeBytes { Array($0) }
        let database = try RawDatabase(
            bench.path, key: "x'\(Hex.encode(secret))\(Hex.encode(key.salt))'", "writable_schema = ON")
        for statement in statements { try database.run(statement) }
        let version = try #require(try database.run("PRAGMA schema_version").first)
        try database.run("PRAGMA schema_version = \((Int(version) ?? 0) + 1)")
    }

    /// Adds a column or a constraint to the films through the text of their table.
    func addToFilm(_ clause: String) throws {
        try tamper(
            "UPDATE sqlite_schema SET sql = substr(sql, 1, length(sql) - 1) || \(SQLTokens.quoteText(", \(clause))")) WHERE name = 'film'"
        )
    }

    /// What the operator has afterwards: all content of the loot table, as text.
    func loot() throws -> [String] {
        try bench.open([]).query("SELECT quote(a) FROM loot") { row in try row[0] as String }
    }

    /// Whether a text is readable in the file or its log.
    func shows(_ text: String) throws -> Bool {
        try DecryptedPages(bench.path, bench.databaseKey()).contain(Array(text.utf8))
    }
}
