/// A table as a comparison needs to know it: which columns it stores, and what distinguishes its rows.
struct TableImage {
    struct Column {
        let name: SQLName
        let affinity: Affinity
        /// Whether it is not computed from others.
        let isStored: Bool
    }

    let name: SQLName
    /// The columns that can be read, in order.
    let columns: [Column]
    /// The columns of its PRIMARY KEY, in their order there.
    let key: [SQLName]
    /// A name under which its rowid can be read; nil if there is none.
    let rowID: String?
    /// Whether its PRIMARY KEY is another name of the rowid.
    let hasRowIDAlias: Bool
    /// Whether its rows are only counted: those of a virtual table of unknown kind come from somewhere else.
    let isCountedOnly: Bool

    /// Nil for a table that cannot be read, or that has no rows of its own.
    /// - Parameter now: Its present name.
    init?(_ table: CatalogueEntry, as now: SQLName? = nil, _ core: ConnectionCore) throws {
        guard table.hasRows else { return nil }
        name = now ?? table.name
        let found = try core.ask(
            "SELECT name, type, hidden, pk FROM pragma_table_xinfo(?, 'main') ORDER BY cid", name.spelling
        ) { row in
            (name: try row[0] as SQLName, type: try row[1] as String, hidden: try row[2] as Int, key: try row[3] as Int)
        }
        // Hidden columns of virtual tables hold no values of a row.
        columns = found.filter { $0.hidden != 1 }.map {
            Column(name: $0.name, affinity: Affinity($0.type), isStored: $0.hidden == 0)
        }
        key = found.filter { $0.key > 0 }.sorted { $0.key < $1.key }.map(\.name)
        hasRowIDAlias = key.count == 1 && found.contains { $0.key == 1 && $0.type.asciiLowercased == "integer" }
        let from = "FROM main.\(SQLTokens.quote(name.spelling))"
        rowID = RowIDName.free(beside: found.map(\.name)).first { core.refusal(of: "SELECT \($0) \(from)") == nil }
        switch table.kind {
        case .virtualTable(_, let isKnown): isCountedOnly = !isKnown
        default: isCountedOnly = false
        }
        guard !columns.isEmpty, core.refusal(of: "SELECT count(*) \(from)") == nil else { return nil }
    }

    /// The columns with values of their own.
    var stored: [Column] { columns.filter(\.isStored) }

    func column(_ name: SQLName) -> Column? { columns.first { $0.name == name } }  // exact: names of SQLite

    /// Whether a row has NULL in the key.
    func hasNullKey(_ core: ConnectionCore, _ table: SQLName) throws -> Bool {
        guard rowID != nil, !hasRowIDAlias else { return false }
        let isNull = key.map { "\(SQLTokens.quote($0.spelling)) IS NULL" }.joined(separator: " OR ")
        return try core.ask(
            SQL(verbatim: "SELECT EXISTS (SELECT 1 FROM main.\(SQLTokens.quote(table.spelling)) WHERE \(isNull))")
        ) { row in try row[0] as Bool }.first == true
    }

    /// Names under which SQL can change what distinguishes the rows.
    var keyNames: Set<SQLName> { RowIDName.all.union(key) }
}
