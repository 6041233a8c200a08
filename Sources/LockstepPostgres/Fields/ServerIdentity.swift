internal import Lockstep

/// The identity of a schema's data on a server: the table that KeyringTable.swift describes, with the row of the
/// database's id alone. Keyrings remember by it what is sealed there.
struct ServerIdentity {
    let schema: String

    private static let noRing = [UInt8](repeating: 0, count: 16)
    private static let table = StoredTable(
        "lockstep_keyring",
        [
            .init("ring", .bytes), .init("epoch", .integer), .init("database", .bytes, optional: true),
            .init("dataset", .bytes, optional: true),
        ], key: ["ring"]
    ) { _ in
        LockstepError(
            .tampered, "the server's record of its identity, lockstep_keyring, is invalid",
            hint: "somebody else than Lockstep has written it; restore it from a backup")
    }

    /// The identity, 16 bytes; nil if it has none yet.
    /// - Throws: `LockstepError.Code.tampered` for a table that Lockstep did not write.
    func read(_ connection: borrowing ServerConnection) throws -> [UInt8]? {
        let found = try ServerTables(schema, connection).rows(of: Self.table, with: .blob(Self.noRing)) ?? []
        guard let first = found.first else { return nil }
        let id: [UInt8]? = try first[2]
        guard found.count == 1, let id, id.count == 16, id != Self.noRing else { throw Self.table.invalid("") }
        return id
    }

    /// The identity, which it gets in the open transaction if it has none.
    func make(_ connection: borrowing ServerConnection) throws -> [UInt8] {
        if let id = try read(connection) { return id }
        let id = try Random.bytes(16)
        let store = ServerTables(schema, connection)
        try store.make(Self.table)
        try store.insert([.blob(Self.noRing), .integer(1), .blob(id), .null], into: Self.table)
        return id
    }
}

extension ServerConnection {
    /// The identity of the database that a connection with keys works on, 16 bytes; nil if it has none.
    package func databaseID() throws -> [UInt8]? {
        try fields.flatMap { try ServerIdentity(schema: $0.schema).read(self) }
    }
}
