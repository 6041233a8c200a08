/// The names of sealed columns. When a migration renames one, the registry must follow.
enum SealedNames {
    struct Name: Hashable {
        private let exact: [ExactText]
        var table: String { exact[0].text }
        var column: String { exact[1].text }

        init(_ known: SealingGuard) { exact = [ExactText(known.table), ExactText(known.column)] }
    }

    /// The columns' names, by the names of their guards.
    static func known(_ connection: borrowing Connection) throws -> [ExactText: Name] {
        guard try EngineTables.exists(EngineTables.columns, connection) else { return [:] }
        var names: [ExactText: Name] = [:]
        for known in try SealingGuard.all(connection) where known.kind == .update || known.kind == .unsealing {
            names[ExactText(known.name)] = Name(known)
        }
        return names
    }

    /// Updates the registry with the columns' changes since `before`, in the open transaction.
    /// - Throws: ``LockstepError/Code/keyUnavailable`` if this needs a keyring that was not given;
    ///   ``LockstepError/Code/misuse`` for a primary key that the cells are not sealed to.
    static func follow(from before: [ExactText: Name], _ connection: borrowing Connection) throws {
        guard !before.isEmpty else { return }
        let after = try known(connection)
        for (guardName, old) in before.sorted(by: { $0.key < $1.key })
        where after[guardName] != old {
            // An unsealed column no longer has a guard, and is skipped.
            try rename(old, to: after[guardName], connection)
        }
        try SealedRowKeys.follow(connection)
    }

    /// A guard, and the statement that makes it.
    typealias Definition = (known: SealingGuard, sql: String)

    /// The definitions of all guards.
    static func guards(_ connection: borrowing Connection) throws -> [Definition] {
        try SealingGuard.all(connection).flatMap { known in
            try connection.query(
                "SELECT sql FROM main.sqlite_schema WHERE type = 'trigger' AND name = ?", known.name
            ) { row in (known: known, sql: try row[0]) }
        }
    }

    /// Makes the guards again that went with tables which were replaced, with their columns, whatever became of the
    /// former table's name meanwhile.
    static func restore(_ guards: [Definition], _ connection: borrowing Connection) throws {
        guard !guards.isEmpty else { return }
        let standing = Set(try SealingGuard.all(connection).map { ExactText($0.name) })
        let gone = guards.filter { !standing.contains(ExactText($0.known.name)) }
        guard !gone.isEmpty else { return }
        func title(_ table: String, _ column: String) -> [SQLName] { [SQLName(table), SQLName(column)] }
        let sealed = Set(
            try RegistryTables.claimed(connection).filter { $0.state == .sealed }.map { title($0.table, $0.name) })
        for (known, sql) in gone where sealed.contains(title(known.table, known.column)) {
            // Of a column that went the guard goes, and the registry follows.
            guard try SealedTable(known.table, connection)?.column(known.column) != nil else { continue }
            try connection.execute(SQL(verbatim: sql))
        }
    }

    /// Requires that no table or view of the file has the name of a readable view of a table with sealed columns:
    /// connections with the keyring would refuse the file.
    /// - Throws: ``LockstepError/Code/misuse``.
    static func requireViews(_ connection: borrowing Connection) throws {
        var tables: Set<SQLName> = []
        for known in try SealingGuard.all(connection) where tables.insert(SQLName(known.table)).inserted {
            try DecryptingViews.requireFree(known.table, connection)
        }
    }

    private static func rename(
        _ old: Name, to new: Name?, _ connection: borrowing Connection
    ) throws {
        for keys in connection.sealed?.allKeys ?? [] {
            guard var registry = try RegistryTables.read(keys, connection),
                let column = registry.column(old.column, of: old.table), column.state != .plaintext
            else { continue }
            if new == nil, try SealedTable(old.table, connection)?.column(old.column) != nil {
                // Another guard replaced this one: the column is being unsealed.
                continue
            }
            try registry.rename(column.id, to: new?.column ?? "", of: new?.table ?? "")
            try RegistryTables.write(&registry, keys, connection)
            try connection.sealed?.adopt(registry, keys, connection)
            return
        }
        let claimed = try RegistryTables.claimed(connection).contains {
            SQLName($0.table) == SQLName(old.table) && SQLName($0.name) == SQLName(old.column)
        }
        guard claimed, try new != nil || SealedTable(old.table, connection)?.column(old.column) == nil else { return }
        throw LockstepError(
            .keyUnavailable, "\(old.table).\(old.column) is sealed, and the migration renames or drops it",
            hint: "provide the fields keyring of its dataset, which must authenticate the new name",
            context: .init(table: old.table, column: old.column))
    }
}
