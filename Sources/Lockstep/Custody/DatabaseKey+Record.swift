extension DatabaseKey.Origin: KeyOriginRecord {
    // A database under a raw key has no keyring that could list it: it gets an id with its first sealed column.
    func add(to connection: borrowing Connection) throws {
        try connection.with(rights: .engine) {
            try connection.write { connection in
                if try KeyringTable.database(connection) == nil {
                    try KeyringTable.set(newDatabase ?? Random.bytes(KeyringTable.idLength), connection)
                }
                try KeyringTable.raise([ring], to: epoch, connection)
            }
        }
    }

    func requireCurrent(
        in connection: borrowing Connection, under key: borrowing DatabaseKey, isLater: Bool
    ) throws -> Bool {
        try KeyringFreshness.require(self, connection, key, isLater: isLater)
    }

    func whileUsed<Result: ~Copyable>(_ body: () throws -> Result) throws -> Result {
        guard let keyring else { return try body() }
        let lock = try UseLock(keyring)
        defer { _ = lock }
        return try body()
    }
}
