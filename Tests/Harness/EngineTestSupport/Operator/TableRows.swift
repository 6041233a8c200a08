@testable import Lockstep

/// All rows of a table, which can be restored.
struct TableRows: Sendable, Hashable {
    let table: String
    let columns: [String]
    var rows: [[Value]]

    init(
        _ table: String, _ connection: borrowing Connection, _ columns: [String]? = nil
    ) throws {
        self.table = table
        let all = try connection.query(
            "SELECT name FROM pragma_table_xinfo(?, 'main') WHERE hidden <> 1 ORDER BY cid", table
        ) { row in try row[0] as String }
        self.columns = columns ?? all
        let names = self.columns.map(SQLTokens.quote).joined(separator: ", ")
        guard !all.isEmpty else {
            rows = []
            return
        }
        rows = try connection.query(SQL(verbatim: "SELECT \(names) FROM main.\(SQLTokens.quote(table)) ORDER BY 1, 2"))
        { row in try (0..<row.count).map { try row[$0] as Value } }
    }

    /// Replaces the table's rows with these.
    func write(_ connection: borrowing Connection) throws {
        try connection.execute("DELETE FROM main.\(name: table)")
        try add(connection)
    }

    /// Adds these rows to the table's.
    func add(_ connection: borrowing Connection) throws {
        let names = columns.map(SQLTokens.quote).joined(separator: ", ")
        let marks = Array(repeating: "?", count: columns.count).joined(separator: ", ")
        let insert = try connection.prepare(
            SQL(
                verbatim:
                    "INSERT OR REPLACE INTO main.\(SQLTokens.quote(table)) (\(names)) VALUES (\(marks))"
            ))
        for row in rows {
            try insert.bind(values: row)
            try insert.forEach { _ in }
        }
    }
}

/// The four tables that record which columns are sealed.
struct RegistryRows: Sendable, Hashable {
    static let names = [EngineTables.datasets, EngineTables.columns, EngineTables.indexes, EngineTables.fieldKeys]

    var tables: [TableRows] = []

    init() {}

    init(_ connection: borrowing Connection) throws {
        tables = try Self.names.map { try TableRows($0, connection) }
    }

    func write(_ connection: borrowing Connection) throws {
        for table in tables { try table.write(connection) }
    }
}

/// The tables of formats that are not read any more.
enum FormerFormat {
    /// Removes the columns that later formats added.
    static func dropColumns(_ connection: borrowing Connection) throws {
        for (table, column) in [
            (EngineTables.datasets, "database"), (EngineTables.columns, "row_key"), (EngineTables.datasets, "registry"),
            (EngineTables.columns, "identity"), (EngineTables.epochs, "database"), (EngineTables.datasets, "earlier"),
            (EngineTables.datasets, "folded"),
        ] where EngineTables.has(column, in: table, connection) {
            try connection.execute("ALTER TABLE main.\(name: table) DROP COLUMN \(name: column)")
        }
    }
}
