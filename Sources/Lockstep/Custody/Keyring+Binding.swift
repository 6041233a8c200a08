internal import SystemPackage

extension Keyring {
    /// Records the database in the keyring and the keyring in the database; a database without an id gets one. After
    /// that, the database does not open if someone has removed its record of the keyring.
    ///
    /// Writes the keyring's file only if the database is not recorded yet, or if the keyring has changed since the
    /// database recorded it. A signed keyring is not changed.
    /// - Parameters:
    ///   - file: The file that the keyring was opened from.
    ///   - connection: A connection that can write.
    /// - Throws: as in ``remember(in:)``; ``LockstepError/Code/twoFiles`` if the database still lies elsewhere;
    ///   ``LockstepError/Code/keyringConflict``; any error of writing the file.
    public mutating func bind(
        _ connection: borrowing Connection, in file: KeyringFile
    ) throws {
        try bind(connection, in: file, asListed: false)
    }

    /// - Parameters:
    ///   - asListed: Whether a database without an id is the one whose own key it has, or the one that the keyring
    ///     records, if it records exactly one: a salvaged database.
    ///   - role: What it then is.
    package mutating func bind(
        _ connection: borrowing Connection, in file: KeyringFile, asListed: Bool, as role: FileRole = .original
    ) throws {
        let entry = try keyEntry(of: connection.path)
        let only = document.files.count == 1 ? document.files[0].database : nil
        if asListed, let id = entry.file ?? only, try KeyringTable.database(connection) == nil {
            try connection.with(rights: .engine) {
                try connection.write { connection in
                    try KeyringTable.set(id, as: role, connection)
                }
            }
        }
        if try KeyringTable.read(connection).role == .original {
            try requireNoOther(than: connection.path, KeyringTable.database(connection), in: file)
        }
        try remember(in: connection)
        guard signer == nil, let id = try KeyringTable.database(connection) else { return }
        guard try !isCopyOfListed(connection, id) else { return try leave(connection.path, to: id, in: file) }
        try note(id, under: entry, connection, in: file)
    }

    /// Records the keyring in the database, and in the keyring that the database has recorded it, if the database is
    /// one that the keyring records. If it was moved, the keyring follows it. To be called by commands that may write;
    /// others leave both as they are.
    package mutating func settle(
        _ connection: borrowing Connection, in file: KeyringFile
    ) throws {
        // Someone else might have changed both meanwhile.
        try file.reread(&self)
        try remember(in: connection)
        guard signer == nil, let id = try KeyringTable.database(connection),
            record(of: id) != nil, try !isCopyOfListed(connection, id)
        else { return }
        try note(id, under: keyEntry(of: connection.path), connection, in: file)
    }

    /// The database has recorded this version of the keyring. Then the keyring notes that, and the database records the
    /// version with the note.
    private mutating func note(
        _ id: [UInt8], under key: FileKey, _ connection: borrowing Connection, in file: KeyringFile
    ) throws {
        let path = try file.spelling(of: connection.path)
        let seen = record(of: id)?.seen ?? 0
        guard seen == 0 || !lists(id, under: key, at: path) || hasChanged(since: seen)
        else { return }
        // An opening tries fewer keys on what lies there.
        try requireNoOther(than: connection.path, id, in: file)
        let recorded = epoch
        try file.update(&self) { keyring in
            try keyring.list(id, under: key, at: path)
            // A version that someone else wrote meanwhile is noted by the next command.
            if keyring.epoch == recorded { keyring.note(id, recorded: recorded) }
        }
        try remember(in: connection)
    }

    /// A copy was put where another database was last seen, which is not there any more.
    private mutating func leave(_ copy: FilePath, to id: [UInt8], in file: KeyringFile) throws {
        let path = try file.spelling(of: copy)
        guard record(at: path, besides: id) != nil else { return }
        try file.update(&self) { $0.leave(path, to: id) }
    }

    /// Nothing new of a database is learnt from its copy.
    private borrowing func isCopyOfListed(
        _ connection: borrowing Connection, _ id: [UInt8]
    ) throws -> Bool {
        try KeyringTable.read(connection).role == .copy && document.files.contains { $0.database == id }
    }

    /// Updates the key of a recorded database.
    mutating func relist(_ database: [UInt8]?, under key: FileKey) throws(LockstepError) {
        guard let database, record(of: database) != nil else { return }
        try list(database, under: key)
    }
}
