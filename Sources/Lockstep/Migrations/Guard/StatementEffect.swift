/// The tables from which a statement can remove rows, and the tables that can have rows without a parent after
/// it.
///
/// SQLite's authorizer reports the effects of a statement, its triggers and the actions of foreign keys, but not
/// the rows that REPLACE removes. Tables that refer to a reported table also count, so the result does not depend
/// on the authorizer alone.
struct StatementEffect {
    /// Tables that can lose rows, or are renamed or dropped.
    private(set) var losing: Set<SQLName> = []
    /// Tables whose rows can go or have other values.
    private(set) var changing: Set<SQLName> = []
    /// Tables whose references, or the rows they refer to, can change.
    private(set) var children: Set<SQLName> = []

    private let keys: ForeignKeys
    private var replaced: Set<SQLName> = []
    private var visited: Set<[SQLName]> = []

    /// - Parameters:
    ///   - replaces: Whether REPLACE occurs anywhere in the schema or in the statements so far.
    init(_ sql: String, _ use: TableUse, _ keys: ForeignKeys, replaces: Bool) {
        self.keys = keys
        for table in use.deleted { lose(table) }
        for table in use.inserted {
            if keys.keys[table] != nil { children.insert(table) }
            if replaces { lose(table, byReplacing: true) }
        }
        for (table, column) in use.updated {
            update(table, [column], replaces)
        }
        if let schema = use.schema { change(schema, sql) }
    }

    private mutating func change(_ schema: SchemaUse, _ sql: String) {
        for table in schema.dropped { lose(table) }
        // Other tables can already refer to a table that is created now.
        for table in schema.created { children.formUnion(keys.children(of: table)) }
        for table in schema.altered {
            switch AlterStatement(sql) {
            case .addColumn(refers: false): continue
            case .addColumn(refers: true): children.insert(table)
            case .renameColumn(let column, _):
                change(column, of: table)
            case .dropColumn(let column):
                changing.insert(table)
                change(column, of: table)
            case .renameTable:
                losing.insert(table)
                children.formUnion(keys.children(of: table).union([table]))
            case nil:
                lose(table)
                children.insert(table)
            }
        }
    }

    /// A changed column name affects the references of the table and the references to it.
    private mutating func change(_ column: SQLName, of table: SQLName) {
        if keys.keys[table]?.contains(where: { $0.columns.contains(column) }) == true {
            children.insert(table)
        }
        children.formUnion(
            keys.children(of: table).filter { refers($0, to: table, by: [column]) })
    }

    /// Adds the tables that lose rows together with `table`.
    private mutating func lose(_ table: SQLName, byReplacing replaces: Bool = false) {
        let isNew = losing.insert(table).inserted
        changing.insert(table)
        guard isNew || (replaces && replaced.insert(table).inserted) else { return }
        if replaces { replaced.insert(table) }
        for child in keys.children(of: table) {
            children.insert(child)
            let actions = keys.keys[child]?.filter { $0.parent == table } ?? []
            if replaces || actions.contains(where: { $0.onDelete == "cascade" }) {
                lose(child, byReplacing: replaces)
            } else if actions.contains(where: { $0.onDelete.begins(with: "set ") }) {
                update(child, Set(actions.flatMap(\.columns)), false)
            }
        }
    }

    private mutating func update(_ table: SQLName, _ columns: Set<SQLName>, _ replaces: Bool) {
        changing.insert(table)
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

    /// Whether any reference of `child` to `table` uses one of these columns.
    private func refers(_ child: SQLName, to table: SQLName, by columns: Set<SQLName>) -> Bool {
        keys.keys[child]?.contains { key in
            key.parent == table
                && (columns.contains("rowid")
                    || keys.referencedColumns(key).map { !columns.isDisjoint(with: $0) } ?? true)
        } ?? false
    }
}
