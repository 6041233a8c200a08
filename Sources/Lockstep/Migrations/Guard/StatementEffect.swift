/// Which tables a statement may take rows from, and which may have rows without a parent after it.
///
/// SQLite's authorizer tells what a statement, its triggers and the actions of foreign keys do, but not which
/// rows REPLACE removes. What tables refer to the ones that are told counts too, so that nothing rests on the
/// authorizer alone.
struct StatementEffect {
    /// May lose rows, or are renamed or dropped.
    private(set) var losing: Set<String> = []
    /// Their references, or what they refer to, may change.
    private(set) var children: Set<String> = []

    private let keys: ForeignKeys
    private var replaced: Set<String> = []
    private var visited: Set<[String]> = []

    /// - Parameters:
    ///   - replaces: Whether anything in the schema or in the statements up to now speaks of REPLACE.
    init(_ sql: String, _ use: TableUse, _ keys: ForeignKeys, replaces: Bool) {
        self.keys = keys
        for table in use.deleted { lose(table) }
        for table in use.inserted {
            if keys.keys[table] != nil { children.insert(table) }
            if replaces { lose(table, byReplacing: true) }
        }
        for (table, column) in use.updated {
            update(table.asciiLowercased, [column.asciiLowercased], replaces)
        }
        if let schema = use.schema { change(schema, sql) }
    }

    private mutating func change(_ schema: SchemaUse, _ sql: String) {
        for table in schema.dropped { lose(table) }
        // A table that is made may be one that others have always referred to.
        for table in schema.created { children.formUnion(keys.children(of: table)) }
        for table in schema.altered {
            switch AlterStatement(sql) {
            case .addColumn(refers: false): continue
            case .addColumn(refers: true): children.insert(table)
            case .renameColumn(let column), .dropColumn(let column): change(column, of: table)
            case .renameTable, nil:
                lose(table)
                children.insert(table)
            }
        }
    }

    /// References by another name count as others, and so do the ones that are left.
    private mutating func change(_ column: String, of table: String) {
        if keys.keys[table]?.contains(where: { $0.columns.contains(column) }) == true {
            children.insert(table)
        }
        children.formUnion(
            keys.children(of: table).filter { refers($0, to: table, by: [column]) })
    }

    /// Whose rows go with those of `table`.
    private mutating func lose(_ table: String, byReplacing replaces: Bool = false) {
        let isNew = losing.insert(table).inserted
        guard isNew || (replaces && replaced.insert(table).inserted) else { return }
        if replaces { replaced.insert(table) }
        for child in keys.children(of: table) {
            children.insert(child)
            let actions = keys.keys[child]?.filter { $0.parent == table } ?? []
            if replaces || actions.contains(where: { $0.onDelete == "cascade" }) {
                lose(child, byReplacing: replaces)
            } else if actions.contains(where: { $0.onDelete.hasPrefix("set ") }) {
                update(child, Set(actions.flatMap(\.columns)), false)
            }
        }
    }

    private mutating func update(_ table: String, _ columns: Set<String>, _ replaces: Bool) {
        if replaces { lose(table, byReplacing: true) }
        let own = keys.keys[table] ?? []
        if own.contains(where: { !columns.isDisjoint(with: $0.columns) }) { children.insert(table) }
        for child in keys.children(of: table) where refers(child, to: table, by: columns) {
            children.insert(child)
            let moved = keys.keys[child]?.filter {
                $0.parent == table && $0.onUpdate != "no action"
            }
            let columns = Set((moved ?? []).flatMap(\.columns))
            if !columns.isEmpty, visited.insert([child] + columns.sorted()).inserted {
                update(child, columns, replaces)
            }
        }
    }

    /// Whether any reference of `child` to `table` is by one of these columns.
    private func refers(_ child: String, to table: String, by columns: Set<String>) -> Bool {
        keys.keys[child]?.contains { key in
            key.parent == table
                && (columns.contains("rowid")
                    || keys.referencedColumns(key).map { !columns.isDisjoint(with: $0) } ?? true)
        } ?? false
    }
}
