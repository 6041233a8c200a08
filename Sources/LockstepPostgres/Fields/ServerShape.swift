#if Postgres
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
        let requests: [SealedIndex.Request]

        init(
            _ table: ServerTable, _ column: String, _ mode: SealingMode,
            _ requests: [SealedIndex.Request]
        ) {
            (self.table, self.column) = (table, column)
            (self.mode, self.requests) = (mode, requests)
        }

        /// The statements that give an empty table's column this shape.
        /// - Throws: `LockstepError.Code.misuse` for names that are too long, or taken.
        func statements() throws(LockstepError) -> [String] {
            let name = SQLTokens.quote(column)
            var statements: [String] = []
            if table.detail(column)?.type != ServerType.bytea {
                statements.append(
                    "ALTER TABLE \(table.quotedName) ALTER COLUMN \(name) TYPE bytea USING NULL")
            }
            statements.append(
                "ALTER TABLE \(table.quotedName) ADD CONSTRAINT \(try object("\(column)_cell")) CHECK (\(condition))"
            )
            for request in requests {
                let token = SealedIndex.name(request, of: column)
                guard table.shape.column(token) == nil else {
                    throw LockstepError(
                        .misuse,
                        "\(table.shape.name) already has a column \(token), the name of the blind index's token column",
                        hint: "rename the column, or omit the index",
                        context: .init(table: table.shape.name, column: token))
                }
                let isForUnique = request.bits > 63
                statements.append(
                    "ALTER TABLE \(table.quotedName) ADD COLUMN \(SQLTokens.quote(token)) \(isForUnique ? "bytea" : "bigint")"
                )
                statements.append(
                    "CREATE \(isForUnique ? "UNIQUE " : "")INDEX \(try object(token)) ON \(table.quotedName) (\(SQLTokens.quote(token)))"
                )
            }
            return statements
        }

        /// Whether the column has this shape already.
        func stands(_ connection: borrowing ServerConnection) throws -> Bool {
            guard table.detail(column)?.type == ServerType.bytea,
                requests.allSatisfy({ table.shape.column(SealedIndex.name($0, of: column)) != nil })
            else { return false }
            let constraint = "\(EngineTable.prefix)\(table.shape.name)_\(column)_cell"
            return try connection.value(
                """
                SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_constraint
                    WHERE conrelid OPERATOR(pg_catalog.=) \(Int64(table.oid))::oid
                        AND conname OPERATOR(pg_catalog.=) \(constraint)::name)
                """) ?? false
        }

        /// The statements that take it away; the column stays a `bytea`.
        var removal: [String] {
            let constraint = SQLTokens.quote(
                "\(EngineTable.prefix)\(table.shape.name)_\(column)_cell")
            return [
                "ALTER TABLE \(table.quotedName) DROP CONSTRAINT IF EXISTS \(constraint)"
            ]
                + requests.map {
                    "ALTER TABLE \(table.quotedName) DROP COLUMN IF EXISTS \(SQLTokens.quote(SealedIndex.name($0, of: column)))"
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

        /// The statements that refuse a new key for a row of the table; empty if they stand, or no cell is bound to the key.
        func keyGuard(_ connection: borrowing ServerConnection) throws -> [String] {
            let key = table.shape.boundColumns(mode).map { SQLTokens.quote($0.name) }
            let trigger = "\(EngineTable.prefix)\(table.shape.name)_key"
            guard !key.isEmpty else { return [] }
            let isThere: Bool? = try connection.value(
                """
                SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_trigger
                    WHERE tgrelid OPERATOR(pg_catalog.=) \(Int64(table.oid))::oid
                        AND tgname OPERATOR(pg_catalog.=) \(trigger)::name)
                """)
            guard isThere == false else { return [] }
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
    }
#endif
