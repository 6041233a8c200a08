/// Finds anything in the file's schema that makes reading and writing sealed columns unsafe.
///
/// Anyone who can open the database can write to its schema. A connection with field keys uses only its names and
/// parsed literals, and runs the rest as the file's own SQL, which sees cells. It refuses definitions that no program
/// needs and that would mislead the engine.
enum UntrustedSchema {
    /// - Throws: ``LockstepError/Code/foreignSchema`` with the name of the refused definition.
    static func requireSafe(_ connection: borrowing Connection) throws {
        let suspects = try connection.query(
            """
            SELECT lower(type), name, lower(tbl_name), sql FROM main.sqlite_schema
            WHERE substr(lower(name), 1, 7) = 'pragma_' OR instr(lower(sql), 'lockstep_') > 0
            ORDER BY name
            """, as: (String, String, String, String?).self)
        // SQLite accepts a type in any case.
        for (type, name, table, sql) in suspects {
            if ["table", "view"].containsBytes(of: type), SQLName(name).hasPrefix("pragma_") {
                throw standsIn(type, name)
            }
            if type == "trigger", EngineTables.isReserved(SQLName(table)) {
                throw answers(name, table)
            }
            if let sql, let function = calledFunction(sql) { throw calls(type, name, function) }
        }
    }

    /// The engine reads the names for generated SQL through SQLite's table-valued pragmas. A table or view of such a
    /// name in the file would answer instead.
    private static func standsIn(_ type: String, _ name: String) -> LockstepError {
        LockstepError(
            .foreignSchema,
            "the \(type) \(name) replaces what SQLite reports about the schema, so sealed columns cannot be "
                + "read and written safely", hint: "rename it or drop it, on a connection without field keys")
    }

    /// Such a trigger would run as part of the engine's own writes, and could restore an older state of its tables.
    private static func answers(_ name: String, _ table: String) -> LockstepError {
        LockstepError(
            .foreignSchema, "the trigger \(name) changes what the engine writes to its table \(table)",
            hint: "drop it on a connection without field keys", context: .init(table: table))
    }

    /// Requires that the columns for cells and tokens store the values written to them.
    /// - Throws: ``LockstepError/Code/foreignSchema`` with the name of a generated column.
    static func requireStored(_ column: SealedColumn, _ shape: SealedTable) throws(LockstepError) {
        guard column.state != .plaintext else { return }
        for name in [column.name] + column.indexes.map(\.name) where shape.column(name)?.isGenerated == true {
            throw LockstepError(
                .foreignSchema,
                "\(shape.name).\(name) is a generated column in the file, so sealed values written to it "
                    + "would be lost",
                hint: "somebody who can open the database changed its schema; " + "restore the database from a backup",
                context: .init(table: shape.name, column: name))
        }
    }

    /// Such a call can only fail. Somebody who put it there wants it to run with this connection's keys.
    private static func calls(_ type: String, _ name: String, _ function: String) -> LockstepError {
        LockstepError(
            .foreignSchema,
            "the \(type) \(name) in the file calls \(function), which only this connection's own SQL may call",
            advice: """
                somebody who can open the database changed its schema: \(.verify) with the migrations shows \
                what differs; drop it on a connection without field keys, or restore the database from a backup
                """)
    }

    /// The first privileged function that the SQL calls, in any spelling.
    private static func calledFunction(_ sql: String) -> String? {
        let tokens = SQLCursor(sql).tokens
        let call = zip(tokens, tokens.dropFirst()).first {
            $1.word == "(" && CellFunction.names.contains($0.name)
        }
        return call?.0.name.folded
    }
}
