/// The primary keys that cells are sealed to. When a migration renames their columns, the registry must follow; any
/// other change is refused.
enum SealedRowKeys {
    /// The number of rows per column whose cells are opened after their key was renamed.
    private static let sample = 100

    /// Updates the registry with the tables' current primary keys, in the open transaction.
    /// - Throws: ``LockstepError/Code/keyUnavailable`` if this needs a keyring that was not given;
    ///   ``LockstepError/Code/misuse`` for a primary key that the cells are not sealed to.
    static func follow(_ connection: borrowing Connection) throws {
        var followed: Set<[ExactText]> = []
        for keys in connection.sealed?.allKeys ?? [] {
            guard var registry = try RegistryTables.read(keys, connection) else { continue }
            let moved = try registry.columns.filter { try isMoved($0, connection) }
            followed.formUnion(registry.columns.map { [ExactText($0.table), ExactText($0.name)] })
            guard !moved.isEmpty else { continue }
            for column in moved { try registry.renameRowKey(column.id, connection) }
            try RegistryTables.write(&registry, keys, connection)
            try connection.sealed?.adopt(registry, keys, connection)
            for column in moved { try requireOpens(column, connection) }
        }
        for column in try RegistryTables.claimed(connection)
        where !followed.contains([ExactText(column.table), ExactText(column.name)]) {
            guard try isMoved(column, connection) else { continue }
            throw LockstepError(
                .keyUnavailable,
                "the migration renames or changes the primary key of \(column.table), to which the cells of "
                    + "\(column.name) are sealed",
                hint:
                    "provide the fields keyring of its dataset, which must authenticate the key's new name",
                context: column.context)
        }
    }

    private static func isMoved(
        _ column: SealedColumn, _ connection: borrowing Connection
    ) throws -> Bool {
        guard !column.name.isEmpty, let shape = try SealedTable(column.table, connection)
        else { return false }
        return column.isSealed(toAnotherKeyThan: shape.key)
    }

    /// Checks that the cells open. They do if the key was only renamed, and not with any other key.
    private static func requireOpens(
        _ column: SealedColumn, _ connection: borrowing Connection
    ) throws {
        guard let session = connection.sealed, let (number, open) = session.column(named: column.name, of: column.table)
        else { return }
        let names = ([column.name] + open.key.columns.map(\.name) + column.indexes.map(\.name))
            .map(SQLTokens.quote)
        let call = "lockstep_check(\(session.capability.literal(for: number)), \(names.joined(separator: ", ")))"
        let faults = try connection.value(
            SQL(
                verbatim: """
                    SELECT count(*) FROM (SELECT \(call) AS fault FROM main.\(open.shape.quotedName)
                        WHERE \(SQLTokens.quote(column.name)) IS NOT NULL LIMIT \(sample))
                    WHERE fault IS NOT NULL
                    """), as: Int.self)
        guard faults == 0 else {
            throw LockstepError(
                .misuse,
                "the cells of \(column.name) are sealed to a different primary key from the one that "
                    + "\(column.table) has now", hint: "unseal the column first, change the key, then seal it again",
                context: column.context)
        }
    }
}
