#if Postgres
    public import Lockstep

    extension KeyringFile {
        /// Makes a fields keyring remember what is sealed on a server. From then on, connections refuse a server without this
        /// registry, or with an older state of it.
        ///
        /// Call this after a copy to a server, with the identity of the file in its report, and after a migration that seals.
        /// - Parameters:
        ///   - keyring: The fields keyring as opened from this file.
        ///   - connection: A connection opened with the keyring's keys.
        ///   - origin: The identity of the database that this one is a copy of.
        /// - Returns: Whether the file was written.
        /// - Throws: `LockstepError.Code.keyringMismatch` for a connection without the keys;
        ///   `LockstepError.Code.keyringConflict` for a keyring that is signed or full; the errors of the registry, and of
        ///   reading and writing the keyring.
        @discardableResult
        public func remember(
            _ keyring: inout Keyring, sealedOn connection: borrowing ServerConnection,
            from origin: [UInt8]? = nil
        ) throws -> Bool {
            guard let fields = connection.fields,
                let keys = fields.keys(of: keyring.subjectID)
            else {
                throw LockstepError(
                    .keyringMismatch, "the connection was not opened with the keys of this keyring",
                    hint: "open it with the keyring's fieldKeys")
            }
            try fields.look(connection)
            guard let database = fields.database, let registry = fields.registry(of: keys) else {
                return false
            }
            return try remember(
                &keyring, SealedRecord(registry, keys, of: database, from: origin))
        }
    }
#endif
