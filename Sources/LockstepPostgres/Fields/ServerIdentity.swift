internal import Lockstep

/// The identity of a schema's data on a server: the table that KeyringTable.swift describes, with the row of the
/// database's id alone. Keyrings remember by it what is sealed there.
struct ServerIdentity {
    let schema: String

    static let table = "lockstep_keyring"
    private static let noRing = [UInt8](repeating: 0, count: 16)

    private var name: String { "\(SQLTokens.quote(schema)).\(Self.table)" }

    /// The identity, 16 bytes; nil if it has none yet.
    /// - Throws: `LockstepError.Code.tampered` for a table that Lockstep did not write.
    func read(_ connection: borrowing ServerConnection) throws -> [UInt8]? {
        guard let kind = try EngineTable.kind(Self.table, in: schema, connection) else {
            return nil
        }
        guard kind == .table else { throw Self.impossible }
        let found: [[UInt8]?]
        do {
            found = try connection.query(
                """
                SELECT database FROM \(verbatim: name)
                WHERE ring OPERATOR(pg_catalog.=) \(Self.noRing) LIMIT 2
                """
            ) { try $0[0] as [UInt8]? }
        } catch let error as LockstepError
            where error.code == .decodeMismatch || error.context.sqlState == "42703"
        {
            throw Self.impossible
        }
        guard let first = found.first else { return nil }
        guard found.count == 1, let id = first, id.count == 16, id != Self.noRing else {
            throw Self.impossible
        }
        return id
    }

    /// The identity, which it gets in the open transaction if it has none.
    func make(_ connection: borrowing ServerConnection) throws -> [UInt8] {
        if let id = try read(connection) { return id }
        let id = try Random.bytes(16)
        if try EngineTable.kind(Self.table, in: schema, connection) == nil {
            try connection.execute(
                """
                CREATE TABLE \(verbatim: name) (
                    ring bytea PRIMARY KEY, epoch bigint NOT NULL, database bytea, dataset bytea)
                """)
        }
        try connection.execute(
            "INSERT INTO \(verbatim: name) (ring, epoch, database) VALUES (\(Self.noRing), 1, \(id))")
        return id
    }

    private static let impossible = LockstepError(
        .tampered, "the server's record of its identity, lockstep_keyring, is invalid",
        hint: "somebody else than Lockstep has written it; restore it from a backup")
}

extension ServerConnection {
    /// The identity of the database that a connection with keys works on, 16 bytes; nil if it has none.
    package func databaseID() throws -> [UInt8]? {
        try fields.flatMap { try ServerIdentity(schema: $0.schema).read(self) }
    }
}
