internal import Lockstep

/// Whether a fresh run of migrations stays in the schema that is made for it. What it does there is rolled back; what
/// reaches another schema locks the live tables, and a sequence that it sets stays set.
struct FreshRunScope {
    /// The schemas of the database, without the system's.
    private let schemas: Set<SQLName>
    /// Whether a schema that the run shares has sequences.
    private let sharesSequences: Bool

    init(sharing shared: [String], _ connection: borrowing ServerConnection) throws {
        schemas = Set(
            try connection.query(
                """
                SELECT nspname::text FROM pg_catalog.pg_namespace
                WHERE NOT pg_catalog.starts_with(nspname::text, 'pg_')
                    AND nspname OPERATOR(pg_catalog.<>) 'information_schema'
                """
            ) { SQLName(try $0[0] as String) })
        let sequences = try connection.query(
            """
            SELECT DISTINCT n.nspname::text FROM pg_catalog.pg_class AS c
            JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
            WHERE c.relkind OPERATOR(pg_catalog.=) 'S'
            """
        ) { try $0[0] as String }
        sharesSequences = shared.contains { sequences.containsBytes(of: $0) }
    }

    /// - Throws: `LockstepError.Code.notCompared` for a statement that could reach what the run does not make.
    func require(_ scripts: [ServerScript]) throws {
        for statement in scripts.flatMap(\.statements) {
            var reader = StatementReader(statement.sql)
            // The settings of a routine hold while it runs.
            let isRoutine = reader.take("create") && (reader.contains("function") || reader.contains("procedure"))
            try require(statement.sql, mayChoose: isRoutine)
        }
    }

    private static func leaves(_ what: String) -> LockstepError {
        LockstepError(
            .notCompared, what, hint: "compare the schema on a copy of the database, with names without a schema")
    }

    /// - Parameter mayChoose: Whether the search path may be set in it.
    private func require(_ sql: String, mayChoose: Bool) throws {
        let bytes = Array(sql.utf8)
        let pieces = SQLTokens(bytes, from: 0, .postgres).filter { $0.kind != .space && $0.kind != .comment }
        func text(_ place: Int) -> String {
            pieces.indices.contains(place) ? String(decoding: bytes[pieces[place].range], as: UTF8.self) : ""
        }
        for (place, piece) in pieces.enumerated() {
            let own = text(place)
            switch piece.kind {
            case .word, .quotedName:
                let name = piece.kind == .word ? own : SQLTokens.unquote(own)
                if text(place + 1).hasSameBytes(as: "."), !text(place - 1).hasSameBytes(as: "."),
                    schemas.contains(SQLName(name))
                {
                    throw Self.leaves(
                        "the migrations name the schema \(name), so that a fresh run would change what is there")
                }
                let word = own.asciiLowercased
                let before = text(place - 1).asciiLowercased
                if (word.hasSameBytes(as: "search_path") && !mayChoose)
                    || (word.hasSameBytes(as: "schema")
                        && ["create", "set", "drop", "alter"].containsBytes(of: before))
                {
                    throw Self.leaves("the migrations choose or make schemas, which a fresh run would change")
                }
                if Self.lasting.contains(ExactText(word)) {
                    throw Self.leaves("the migrations call \(word), which is not rolled back with a fresh run")
                }
                if sharesSequences, ["nextval", "setval"].containsBytes(of: word) {
                    throw Self.leaves(
                        "the migrations call \(word), which could change a sequence beside those of a fresh run")
                }
            case .string: try requireLiteral(own, mayChoose: mayChoose)
            default: break
            }
        }
    }

    /// What outlasts a transaction that is rolled back.
    private static let lasting: Set<ExactText> = [
        "dblink", "dblink_exec", "dblink_connect", "program", "pg_terminate_backend", "pg_cancel_backend",
        "pg_reload_conf",
        "pg_switch_wal", "pg_create_physical_replication_slot", "pg_create_logical_replication_slot", "lo_export",
        "pg_file_write",
    ]

    /// A literal can name a sequence or a setting, and be the body of a function.
    private func requireLiteral(_ literal: String, mayChoose: Bool) throws {
        guard let first = literal.utf8.first else { return }
        if first == UInt8(ascii: "$") {
            guard let end = literal.dropFirst().firstIndex(of: "$") else { return }
            let tag = literal[...end]
            let body = literal[literal.index(after: end)...]
            return try require(String(body.dropLast(min(tag.count, body.count))), mayChoose: mayChoose)
        }
        let content = SQLTokens.unquote(literal)
        if !mayChoose, content.hasSameBytes(as: "search_path") {
            throw Self.leaves("the migrations set the search path, which leads a fresh run elsewhere")
        }
        // Such as 'shop.orders_id_seq'.
        guard let point = content.firstIndex(of: ".") else { return }
        let name = SQLTokens.unquote(String(content[..<point]))
        guard schemas.contains(SQLName(name)) else { return }
        throw Self.leaves("the migrations name the schema \(name) in a text, so that a fresh run could change it")
    }
}
