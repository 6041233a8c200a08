internal import Lockstep

/// How far a copy to a server came, in a table that is there for as long as the copy is not finished:
///
///   lockstep_copy
///     name         a table; empty for the copy as a whole
///     rows         how many of its rows are there; for the copy, 1 once the tables are empty
///     last_key     the key of the last of them, as ``encode(_:)`` spells it; for the copy, the file's identity
struct CopyState {
    let schema: String

    static let table = "lockstep_copy"
    private static let whole = ""

    private var name: String { "\(SQLTokens.quote(schema)).\(Self.table)" }

    /// What is recorded; nil without a copy under way.
    func read(
        _ server: borrowing ServerConnection
    ) throws -> [ExactText: (rows: Int, key: [UInt8])]? {
        guard let kind = try EngineTable.kind(Self.table, in: schema, server) else {
            return nil
        }
        guard kind == .table else { throw Self.impossible }
        let rows = try server.query(
            "SELECT name, rows, last_key FROM \(verbatim: name)"
        ) { (ExactText(try $0[0]), (rows: (try $0[1] as ServerCount).value, key: try $0[2] as [UInt8])) }
        return Dictionary(rows) { first, _ in first }
    }

    /// Begins a copy of the file with this identity, or finds the one that was begun.
    /// - Returns: Whether the tables are there and were emptied.
    /// - Throws: `LockstepError.Code.alreadyExists` for a schema that has tables, and for a copy of another file.
    func begin(_ source: [UInt8], _ server: borrowing ServerConnection) throws -> Bool {
        if let known = try read(server) {
            guard let whole = known[ExactText(Self.whole)], whole.key == source else {
                throw LockstepError(
                    .alreadyExists, "\(server.address): another file is being copied to the schema \(schema)",
                    hint:
                        "finish that copy, or drop the schema, and copy this file to a new one")
            }
            return whole.rows == 1
        }
        try server.transaction { server in
            // A migration of the same schema comes before, and leaves tables, or after, and finds the copy.
            try ServerLedger(server).lock(server)
            let tables: Int? = try server.value(
                """
                SELECT pg_catalog.count(*) FROM pg_catalog.pg_class AS c
                JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
                WHERE n.nspname OPERATOR(pg_catalog.=) \(schema)::name
                    AND c.relkind OPERATOR(pg_catalog.=) ANY ('{r,p,v,m,f}'::"char"[])
                """)
            guard tables == 0 else {
                throw LockstepError(
                    .alreadyExists,
                    "\(server.address): the schema \(schema) has tables, and a copy goes to an empty one alone",
                    hint:
                        "make a database or a schema for it, with CREATE SCHEMA, and name that")
            }
            try server.execute(
                """
                CREATE TABLE \(verbatim: name) (
                    name text COLLATE "C" PRIMARY KEY, rows bigint NOT NULL, last_key bytea NOT NULL)
                """)
            try server.execute(
                "INSERT INTO \(verbatim: name) VALUES (\(Self.whole), 0, \(source))")
        }
        return false
    }

    /// Records that the tables are empty, in the open transaction.
    func setEmptied(_ server: borrowing ServerConnection) throws {
        try server.execute("UPDATE \(verbatim: name) SET rows = 1 WHERE name = \(Self.whole)")
    }

    /// Records how far a table came, in the transaction of its rows.
    /// - Parameter last: What was recorded before; nil for nothing.
    /// - Throws: `LockstepError.Code.busy` if another copy has gone on meanwhile.
    func advance(
        _ table: String, rows: Int, to key: [UInt8], after last: [UInt8]?, _ server: borrowing ServerConnection
    ) throws {
        let changed: Int
        if let last {
            changed = try server.execute(
                """
                UPDATE \(verbatim: name) SET rows = rows + \(rows)::int8, last_key = \(key)
                WHERE name = \(table) AND last_key = \(last)
                """)
        } else {
            changed = try server.execute(
                """
                INSERT INTO \(verbatim: name) VALUES (\(table), \(rows), \(key)) ON CONFLICT DO NOTHING
                """)
        }
        guard changed == 1 else {
            throw LockstepError(
                .busy, "another copy to the same schema has copied rows of \(table) meanwhile",
                hint: "wait for it to end")
        }
    }

    func end(_ server: borrowing ServerConnection) throws {
        try server.execute("DROP TABLE \(verbatim: name)")
    }

    /// The error for what cannot be done meanwhile.
    static func unfinished(_ schema: String, _ address: ServerAddress) -> LockstepError {
        LockstepError(
            .misuse, "\(address): a copy to the schema \(schema) is not finished",
            hint: "finish it first: run the copy again")
    }

    private static let impossible = LockstepError(
        .tampered, "the server's record of a copy, lockstep_copy, is invalid", hint: "drop the schema, and copy again")

    // MARK: Keys

    /// The values of a key, each with a letter for its type and its length.
    static func encode(_ key: [Value]) -> [UInt8] {
        var bytes: [UInt8] = []
        for value in key {
            let (letter, content): (Character, [UInt8]) =
                switch value {
                case .integer(let number): ("i", Array(String(number).utf8))
                case .text(let text): ("t", Array(text.utf8))
                case .blob(let blob): ("b", blob)
                case .real, .null: ("n", [])
                }
            bytes += Array("\(letter)\(content.count):".utf8) + content
        }
        return bytes
    }

    /// - Throws: `LockstepError.Code.tampered`.
    static func decode(_ bytes: [UInt8]) throws(LockstepError) -> [Value] {
        var key: [Value] = []
        var rest = bytes[...]
        while let letter = rest.popFirst() {
            guard let colon = rest.firstIndex(of: UInt8(ascii: ":")),
                let count = Int(String(decoding: rest[..<colon], as: UTF8.self)), count >= 0,
                rest.endIndex - colon - 1 >= count
            else { throw impossible }
            let content = rest[(colon + 1)...].prefix(count)
            rest = rest[content.endIndex...]
            let text = String(decoding: content, as: UTF8.self)
            switch letter {
            case UInt8(ascii: "i"):
                guard let number = Int64(text) else { throw impossible }
                key.append(.integer(number))
            case UInt8(ascii: "t"): key.append(.text(text))
            case UInt8(ascii: "b"): key.append(.blob(Array(content)))
            default: throw impossible
            }
        }
        return key
    }
}
