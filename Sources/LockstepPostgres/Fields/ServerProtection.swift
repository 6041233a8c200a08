internal import Lockstep

/// Seals a column of an empty table, or gives up its sealing, within the open transaction of a version.
///
/// A column that has rows would need a second one beside it, and the server would keep its plaintext in its files and
/// log for long. The good way is to arrive sealed, by a copy.
struct ServerProtection {
    let directive: SealingDirective
    let schema: String

    private var title: String { "\(directive.change.table).\(directive.change.column)" }
    private var context: LockstepError.Context {
        .init(table: directive.change.table, column: directive.change.column)
    }

    /// - Throws: `LockstepError.Code.keyUnavailable` without the dataset's keys; `LockstepError.Code.misuse` for a
    ///   table with rows, and for a column that cannot be sealed; the errors of the registry and of the server.
    func run(_ connection: borrowing ServerConnection) throws {
        guard let fields = connection.fields, let keys = fields.keys(named: directive.dataset) else {
            throw LockstepError(
                .keyUnavailable,
                "\(title) belongs to the dataset \(directive.dataset), but its fields keyring was not given",
                hint: "pass \(directive.dataset).fields.keyring", context: context)
        }
        guard let table = try ServerTable(directive.change.table, in: schema, connection) else {
            throw noTable
        }
        try connection.execute(
            "LOCK TABLE \(verbatim: table.quotedName) IN ACCESS EXCLUSIVE MODE")
        try requireEmpty(table, connection)
        let registry = ServerRegistry(schema: schema)
        let found = try registry.records(of: keys.dataset, connection)?.registry(keys)
        var content = found ?? ColumnRegistry(keys)
        switch directive.change.goal {
        case .protect(let mode, let padding, let indexes):
            guard
                content.column(directive.change.column, of: table.shape.name)?.state != .sealed
            else { return }
            let column = try requireSealable(table, mode, connection)
            let added = try content.add(
                column.name, of: table.shape.name, mode: mode, padding: padding,
                indexes: indexes, indexKey: keys.activeIndexVersion)
            try content.move(added.id, to: .migrating)
            try content.move(added.id, to: .sealed)
            try ServerShape(table, column.name, mode, indexes).make(connection)
        case .unprotect:
            guard let known = content.column(directive.change.column, of: table.shape.name), known.state == .sealed
            else { return }
            try content.move(known.id, to: .unsealing)
            try content.move(known.id, to: .plaintext)
            try ServerShape(table, known).remove(connection)
        case .reseal:
            throw LockstepError(
                .misuse, "`rotate \(title)` is not supported on PostgreSQL yet",
                hint: "an empty column has nothing to rotate: leave it out", context: context)
        }
        try registry.write(&content, keys, connection)
        try fields.adopt(connection)
    }

    /// Changes the schema alone, of an empty table without a registry.
    func changeShape(_ connection: borrowing ServerConnection) throws {
        guard let table = try ServerTable(directive.change.table, in: schema, connection) else {
            throw noTable
        }
        try requireEmpty(table, connection)
        switch directive.change.goal {
        case .protect(let mode, _, let indexes):
            let column = try requireSealable(table, mode, connection)
            let shape = ServerShape(table, column.name, mode, indexes)
            if try !shape.stands(connection) { try shape.make(connection) }
        case .unprotect:
            guard let column = table.shape.column(directive.change.column) else { return }
            try ServerShape(table, unsealing: column.name).remove(connection)
        // Cells under another key have the same shape.
        case .reseal: break
        }
    }

    private var noTable: LockstepError {
        LockstepError(
            .misuse, "there is no table \(directive.change.table) with a column to seal",
            hint: "check its name", context: context)
    }

    private func requireEmpty(
        _ table: ServerTable, _ connection: borrowing ServerConnection
    ) throws {
        let isFilled: Bool? = try connection.value("SELECT EXISTS (SELECT 1 FROM \(verbatim: table.quotedName))")
        guard isFilled == false else {
            throw LockstepError(
                .misuse,
                "\(table.shape.name) has rows: on a server, columns of an empty table alone are sealed or unsealed",
                advice:
                    "keep the rows in a file, seal them there, and bring them sealed: \(.copyToServer)",
                context: context)
        }
    }

    private func requireSealable(
        _ table: ServerTable, _ mode: SealingMode, _ connection: borrowing ServerConnection
    ) throws -> SealedTable.Column {
        guard let column = table.shape.column(directive.change.column) else {
            throw LockstepError(
                .misuse, "there is no column \(title) to seal", hint: "check its name", context: context)
        }
        if column.isGenerated {
            throw refusal("it is computed from other columns", "seal those columns")
        }
        if column.keyPosition > 0 {
            throw refusal(
                "it is part of the primary key",
                "give the table a surrogate key, and store the value in another column")
        }
        if column.defaultSQL != nil {
            throw refusal(
                "its default is no sealed value",
                "drop the default: ALTER COLUMN … DROP DEFAULT")
        }
        if mode.bindsToRow, table.shape.key == .none {
            throw refusal(
                "its table has no primary key of integers, texts, bytea or uuid",
                "give it one: cells are sealed to their row")
        }
        let number = Int64(table.detail(column.name)?.number ?? 0)
        let users = try connection.query(
            """
            SELECT i.indexrelid::pg_catalog.regclass::text FROM pg_catalog.pg_index AS i
            WHERE i.indrelid OPERATOR(pg_catalog.=) \(Int64(table.oid))::oid
                AND \(number)::int2 OPERATOR(pg_catalog.=) ANY (i.indkey::pg_catalog.int2[])
            UNION ALL
            SELECT conname::text FROM pg_catalog.pg_constraint
            WHERE conrelid OPERATOR(pg_catalog.=) \(Int64(table.oid))::oid
                AND \(number)::int2 OPERATOR(pg_catalog.=) ANY (conkey)
            """
        ) { try $0[0] as String }
        if let user = users.first {
            throw refusal(
                "\(user) is over its values",
                "drop that first; a blind index can find sealed values, and one of 128 bits can be unique")
        }
        return column
    }

    private func refusal(_ why: String, _ hint: String) -> LockstepError {
        LockstepError(
            .misuse, "\(title) cannot be sealed: \(why)", hint: hint, context: context)
    }
}
