internal import Lockstep

/// What a sealed column is on a server: a `bytea` whose values have the form of cells, columns for the tokens of its
/// indexes, and a trigger that keeps a row's key as it is.
///
/// All of it protects against accidents. Anyone who owns the table can remove it, but what was changed then does not
/// open.
struct ServerShape {
    let table: ServerTable
    let column: String
    let mode: SealingMode
    private let tokens: [Token]

    /// A column that holds the tokens of a blind index.
    private struct Token {
        let name: String
        let isForUnique: Bool
    }

    /// The shape that a column gets.
    init(_ table: ServerTable, _ column: String, _ mode: SealingMode, _ requests: [SealedIndex.Request]) {
        (self.table, self.column, self.mode) = (table, column, mode)
        tokens = requests.map {
            Token(name: SealedIndex.name($0, of: column), isForUnique: $0.bits > 63)
        }
    }

    /// The shape of a column of a registry, whose tokens keep the names that they had when it was sealed.
    init(_ table: ServerTable, _ column: SealedColumn) {
        (self.table, mode) = (table, column.mode)
        self.column = table.shape.column(column.name)?.name ?? column.name
        tokens = column.indexes.map { Token(name: $0.name, isForUnique: !$0.index.hasIntegers) }
    }

    /// The shape that a column gives up, by the names of the columns beside it: where no registry says what it has.
    init(_ table: ServerTable, unsealing column: String) {
        (self.table, self.column, mode) = (table, column, .random)
        let names = table.shape.columns.map(\.name)
        tokens = names.filter { $0.begins(with: "\(column)_") && $0.ends(with: "_token") }.map {
            Token(name: $0, isForUnique: false)
        }
    }

    /// Gives an empty table's column this shape.
    /// - Throws: `LockstepError.Code.misuse` for names that are too long, or taken; the server's errors.
    func make(_ connection: borrowing ServerConnection) throws {
        for statement in try statements() + keyGuard(connection) {
            try connection.execute(ServerSQL(verbatim: statement))
        }
    }

    private func statements() throws(LockstepError) -> [String] {
        let name = SQLTokens.quote(column)
        var statements: [String] = []
        if table.detail(column)?.type != ServerType.bytea {
            statements.append("ALTER TABLE \(table.quotedName) ALTER COLUMN \(name) TYPE bytea USING NULL")
        }
        statements.append(
            "ALTER TABLE \(table.quotedName) ADD CONSTRAINT \(try object("\(column)_cell")) CHECK (\(condition))")
        for token in tokens {
            guard table.shape.column(token.name) == nil else {
                throw LockstepError(
                    .misuse,
                    "\(table.shape.name) already has a column \(token.name), the name of the blind index's token column",
                    hint: "rename the column, or omit the index",
                    context: .init(table: table.shape.name, column: token.name))
            }
            statements.append(
                "ALTER TABLE \(table.quotedName) ADD COLUMN \(SQLTokens.quote(token.name)) \(token.isForUnique ? "bytea" : "bigint")"
            )
            statements.append(
                "CREATE \(token.isForUnique ? "UNIQUE " : "")INDEX \(try object(token.name)) ON \(table.quotedName) (\(SQLTokens.quote(token.name)))"
            )
        }
        return statements
    }

    /// Whether the column has this shape already.
    func stands(_ connection: borrowing ServerConnection) throws -> Bool {
        guard table.detail(column)?.type == ServerType.bytea, tokens.allSatisfy({ table.shape.column($0.name) != nil })
        else { return false }
        return try constraint(connection) != nil
    }

    /// The constraint for the form of cells. Its name is from when the column was sealed, and both can have others
    /// since.
    private func constraint(_ connection: borrowing ServerConnection) throws -> String? {
        try connection.value(
            """
            SELECT conname::text FROM pg_catalog.pg_constraint
            WHERE conrelid OPERATOR(pg_catalog.=) \(Int64(table.oid))::oid
                AND conkey OPERATOR(pg_catalog.=) ARRAY[\(Int64(table.detail(column)?.number ?? 0))::int2]
                AND pg_catalog.starts_with(conname::text, \(EngineTable.prefix))
            """)
    }

    /// Takes it away; the column stays a `bytea`. With the last sealed column of a table goes the guard of its key.
    func remove(_ connection: borrowing ServerConnection) throws {
        if let name = try constraint(connection) {
            try connection.execute("ALTER TABLE \(verbatim: table.quotedName) DROP CONSTRAINT \(name: name)")
        }
        for token in tokens {
            try connection.execute(
                "ALTER TABLE \(verbatim: table.quotedName) DROP COLUMN IF EXISTS \(name: token.name)")
        }
        let isAnyLeft: Bool? = try connection.value(
            """
            SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_constraint
                WHERE conrelid OPERATOR(pg_catalog.=) \(Int64(table.oid))::oid
                    AND pg_catalog.starts_with(conname::text, \(EngineTable.prefix)))
            """)
        if isAnyLeft == false, let trigger = try keyTrigger(connection) {
            try connection.execute(
                "DROP TRIGGER \(name: trigger) ON \(verbatim: table.quotedName)")
        }
    }

    /// Whether a value has the form of a cell: the rules of CellFormat.swift.
    var condition: String {
        let name = SQLTokens.quote(column)
        let forms = CellShape.beginnings(mode).map { form in
            "(pg_catalog.substring(\(name), 1, 1) = '\\x\(Hex.encode([form.byte]))'::bytea AND pg_catalog.octet_length(\(name)) > \(form.overhead))"
        }
        return
            "\(name) IS NULL OR ((\(forms.joined(separator: " OR "))) AND pg_catalog.substring(\(name), 2, 4) <> '\\x00000000'::bytea)"
    }

    /// The name of an object that belongs to the column.
    private func object(_ ending: String) throws(LockstepError) -> String {
        let name = "\(EngineTable.prefix)\(table.shape.name)_\(ending)"
        guard name.utf8.count <= Self.longestName else {
            throw LockstepError(
                .misuse,
                "the names of \(table.shape.name).\(column) are too long to be sealed on a server: \(name) has more than \(Self.longestName) bytes",
                hint: "use shorter names for the table or the column",
                context: .init(table: table.shape.name, column: column))
        }
        return SQLTokens.quote(name)
    }

    /// NAMEDATALEN − 1 of a server that was built as usual.
    private static let longestName = 63

    // MARK: The row's key

    private static let function = "lockstep_refuse_new_key"

    /// The statements that refuse a new key for a row of the table; empty if they stand, or no cell is bound to the
    /// key.
    private func keyGuard(_ connection: borrowing ServerConnection) throws -> [String] {
        let key = table.shape.boundColumns(mode).map { SQLTokens.quote($0.name) }
        guard !key.isEmpty, try keyTrigger(connection) == nil else { return [] }
        let trigger = "\(EngineTable.prefix)\(table.shape.name)_key"
        let function = "\(SQLTokens.quote(table.schema)).\(Self.function)"
        let moved = key.map { "OLD.\($0) IS DISTINCT FROM NEW.\($0)" }
        return [
            """
            CREATE OR REPLACE FUNCTION \(function)() RETURNS trigger LANGUAGE plpgsql AS $lockstep$
            BEGIN
                RAISE EXCEPTION 'the cells of % are sealed to their primary key, which cannot change', TG_TABLE_NAME;
            END
            $lockstep$
            """,
            """
            CREATE TRIGGER \(SQLTokens.quote(trigger)) BEFORE UPDATE OF \(key.joined(separator: ", ")) ON \(table.quotedName)
            FOR EACH ROW WHEN (\(moved.joined(separator: " OR "))) EXECUTE FUNCTION \(function)()
            """,
        ]
    }

    private func keyTrigger(_ connection: borrowing ServerConnection) throws -> String? {
        try connection.value(
            """
            SELECT g.tgname::text FROM pg_catalog.pg_trigger AS g
            JOIN pg_catalog.pg_proc AS p ON p.oid OPERATOR(pg_catalog.=) g.tgfoid
            WHERE g.tgrelid OPERATOR(pg_catalog.=) \(Int64(table.oid))::oid
                AND p.proname OPERATOR(pg_catalog.=) \(Self.function)::name
            """)
    }
}
