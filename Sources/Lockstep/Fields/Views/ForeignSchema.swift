/// What in the file's schema keeps sealed columns from being read and written safely.
///
/// The schema is the file's: anyone who can open the database can write to it. A connection with field keys takes names
/// and parsed literals of it alone, and lets the rest run as the file's own SQL, which sees cells. Refused is what no
/// program needs and what would mislead the engine.
enum ForeignSchema {
    /// - Throws: ``LockstepError/Code/foreignSchema`` that names what is in the way.
    static func requireNone(_ connection: borrowing Connection) throws {
        let suspects = try connection.query(
            """
            SELECT lower(type), name, lower(tbl_name), sql FROM main.sqlite_schema
            WHERE substr(lower(name), 1, 7) = 'pragma_' OR instr(lower(sql), 'lockstep_') > 0
            ORDER BY name
            """, as: (String, String, String, String?).self)
        // SQLite takes a type however its letters are written.
        for (type, name, table, sql) in suspects {
            if ["table", "view"].contains(type), name.asciiLowercased.hasPrefix("pragma_") {
                throw standsIn(type, name)
            }
            if type == "trigger", isEngineTable(table) { throw answers(name, table) }
            if let sql, let function = calledFunction(sql) { throw calls(type, name, function) }
        }
    }

    /// What generated SQL is made of is asked of SQLite through its table-valued pragmas. A table or view of such a name
    /// in the file would answer instead.
    private static func standsIn(_ type: String, _ name: String) -> LockstepError {
        LockstepError(
            .foreignSchema,
            "the \(type) \(name) stands in for what SQLite reports of the schema, and sealed columns cannot be "
                + "read and written safely beside it",
            hint: "rename it or drop it, on a connection without field keys")
    }

    private static func isEngineTable(_ table: String) -> Bool {
        table.hasPrefix(EngineTables.prefix) && !table.hasPrefix("lockstep_rebuild_")
    }

    /// It would run as a part of what the engine writes, and could put back an older state of it.
    private static func answers(_ name: String, _ table: String) -> LockstepError {
        LockstepError(
            .foreignSchema,
            "the trigger \(name) changes what the engine writes to its table \(table)",
            hint: "drop it on a connection without field keys")
    }

    /// Goes on only where the columns that hold cells and tokens take what is written to them.
    /// - Throws: ``LockstepError/Code/foreignSchema`` that names the one that is computed from others.
    static func requireStored(_ column: SealedColumn, _ shape: SealedTable) throws(LockstepError) {
        guard column.state != .plaintext else { return }
        for name in [column.name] + column.indexes.map(\.name)
        where shape.column(name)?.isGenerated == true {
            throw LockstepError(
                .foreignSchema,
                "\(shape.name).\(name) is computed from other columns in the file, and what is sealed there "
                    + "would be lost",
                hint: "somebody who can open the database changed its schema; "
                    + "restore the database from a backup")
        }
    }

    /// Such a call can only fail. Somebody who put it there wants it to run with the keys of this connection.
    private static func calls(_ type: String, _ name: String, _ function: String) -> LockstepError {
        LockstepError(
            .foreignSchema,
            "the \(type) \(name) in the file calls \(function), which only SQL of this connection may",
            hint:
                "somebody who can open the database changed its schema: `lockstep verify` with the migrations "
                + "shows what differs; drop it on a connection without field keys, or restore the database "
                + "from a backup")
    }

    /// The first of the privileged functions that SQL calls, however it is written.
    private static func calledFunction(_ sql: String) -> String? {
        let bytes = Array(sql.utf8)
        var last: String?
        for token in SQLTokens(sql) where token.kind != .space && token.kind != .comment {
            let text = String(decoding: bytes[token.range], as: UTF8.self)
            if text == "(", let last, CellFunction.names.contains(last) { return last }
            last = SQLTokens.unquote(text).asciiLowercased
        }
        return nil
    }
}
