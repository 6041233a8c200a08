/// What committed transactions have changed.
public struct DatabaseChanges: Sendable, Hashable {
    /// Which rows of a table.
    public enum Rows: Sendable, Hashable {
        /// Those with these rowids were inserted, updated or deleted. Not listed are rows that a
        /// constraint declared with ON CONFLICT REPLACE, or a trigger's REPLACE, removed: SQLite does not
        /// tell of them.
        case some(Set<Int64>)
        /// Any of them: the table has no rowids, or there were too many changes to list, or SQLite does
        /// not tell (a DELETE without WHERE; rows that REPLACE removes).
        case any
    }

    /// The tables in which something changed, by their names in lower case.
    public private(set) var tables: [String: Rows] = [:]
    /// Whether tables, indexes, views or triggers were created, altered or dropped.
    public internal(set) var schemaChanged = false

    /// Whether anything else may have changed too: the first commit after somebody began to observe was
    /// already under way.
    public internal(set) var isUnknown = false

    /// Nothing is known.
    static let unknown: DatabaseChanges = {
        var changes = DatabaseChanges()
        changes.isUnknown = true
        return changes
    }()

    /// Above this many rows a table's are not listed.
    static let rowLimit = 10_000

    /// Whether nothing changed.
    public var isEmpty: Bool { tables.isEmpty && !schemaChanged && !isUnknown }

    /// Whether anything changed that a query of these tables could see.
    public func touches(_ names: Set<String>) -> Bool {
        schemaChanged || isUnknown || !names.isDisjoint(with: tables.keys)
    }

    mutating func insert(_ row: Int64, of table: String) {
        switch tables[table] {
        case .some(.any): break
        case .some(.some(var rows)):
            tables[table] = nil  // So that the set is not copied.
            rows.insert(row)
            tables[table] = rows.count > Self.rowLimit ? .any : .some(rows)
        case .none: if !Self.isOwn(table) { tables[table] = .some([row]) }
        }
    }

    mutating func insertAll(of table: String) {
        if table == "sqlite_master" { schemaChanged = true }
        if !Self.isOwn(table) { tables[table] = .any }
    }

    /// Adds what came later.
    mutating func merge(_ later: DatabaseChanges) {
        schemaChanged = schemaChanged || later.schemaChanged
        isUnknown = isUnknown || later.isUnknown
        for (table, rows) in later.tables {
            switch (tables[table], rows) {
            case (.some(.some(let before)), .some(let after)):
                let both = before.union(after)
                tables[table] = both.count > Self.rowLimit ? .any : .some(both)
            case (.none, .some): tables[table] = rows
            default: tables[table] = .any
            }
        }
    }

    /// SQLite's and the engine's tables are nobody else's concern.
    private static func isOwn(_ table: String) -> Bool {
        table.hasPrefix("sqlite_") || table.hasPrefix(EngineTables.prefix)
    }
}
