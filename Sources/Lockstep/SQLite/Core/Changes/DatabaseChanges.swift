/// The changes of committed transactions.
public struct DatabaseChanges: Sendable, Hashable {
    /// The changed rows of a table.
    public enum Rows: Sendable, Hashable {
        /// The rows with these rowids were inserted, updated or deleted. The set omits rows removed by a
        /// constraint declared with ON CONFLICT REPLACE or by a trigger's REPLACE: SQLite does not report them.
        case listed(Set<Int64>)
        /// Any rows: the table has no rowids, there were too many changes to list, or SQLite does not report
        /// them (a DELETE without WHERE; rows that REPLACE removes).
        case any
    }

    /// The changed tables, by their names in lower case.
    public private(set) var tables: [ExactText: Rows] = [:]
    /// Whether tables, indexes, views or triggers were created, altered or dropped.
    public internal(set) var schemaChanged = false

    /// Whether anything else can also have changed: a transaction was already running when the observer
    /// started, and its commit was the first.
    public internal(set) var isUnknown = false

    /// No change is known, and any is possible.
    static let unknown: DatabaseChanges = {
        var changes = DatabaseChanges()
        changes.isUnknown = true
        return changes
    }()

    /// Above this number of rows, a table's rows are not listed.
    static let rowLimit = 10_000

    /// Whether nothing changed.
    public var isEmpty: Bool { tables.isEmpty && !schemaChanged && !isUnknown }

    /// Whether anything changed that a query of these tables could see.
    public func touches(_ names: Set<ExactText>) -> Bool {
        schemaChanged || isUnknown || !names.isDisjoint(with: tables.keys)
    }

    mutating func insert(_ row: Int64, of table: ExactText) {
        switch tables[table] {
        case .any?: break
        case .listed(var rows)?:
            tables[table] = nil  // So that the set is not copied.
            rows.insert(row)
            tables[table] = rows.count > Self.rowLimit ? .any : .listed(rows)
        case .none: if !Self.isOwn(table) { tables[table] = .listed([row]) }
        }
    }

    mutating func insertAll(of table: ExactText) {
        if table == "sqlite_master" { schemaChanged = true }
        if !Self.isOwn(table) { tables[table] = .any }
    }

    /// Adds later changes.
    mutating func merge(_ later: DatabaseChanges) {
        schemaChanged = schemaChanged || later.schemaChanged
        isUnknown = isUnknown || later.isUnknown
        for (table, rows) in later.tables {
            switch (tables[table], rows) {
            case (.listed(let before)?, .listed(let after)):
                let both = before.union(after)
                tables[table] = both.count > Self.rowLimit ? .any : .listed(both)
            case (.none, .listed): tables[table] = rows
            default: tables[table] = .any
            }
        }
    }

    /// Whether the table is internal to SQLite or the engine, and so not reported.
    private static func isOwn(_ table: ExactText) -> Bool {
        table.text.begins(with: "sqlite_") || table.text.begins(with: EngineTables.prefix)
    }
}
