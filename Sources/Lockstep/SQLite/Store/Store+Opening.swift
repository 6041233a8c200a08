public import SystemPackage

extension Store {
    /// Opens an existing database with its key, without its keyring.
    /// - Throws: ``LockstepError`` with the reason why the database does not open; see ``Diagnosis`` and
    ///   ``ConnectionOptions/damagedLog``.
    public static func open(
        _ path: FilePath, rawKey: borrowing DatabaseKey, options: StoreOptions = .init()
    ) throws -> Store {
        let source = try StoreSource(path, key: rawKey, options.ofStore(isNew: false))
        // One connection opens now, to know that the key fits; the others open when they are needed. Only a
        // writer can switch a file to WAL mode, and does that first.
        let reader = try source.openReader(isFirst: true)
        let store = Store(
            source, setAsideLog: reader.core.setAsideLog, isCopy: reader.core.isCopy)
        guard source.isWritable, !store.isCopy, reader.core.unchanging == nil else {
            store.readers?.connections.first?.take(reader)
            return store
        }
        if store.setAsideLog != nil {
            // Only a new round of the log ends the one that is damaged.
            source.closeReader(reader)
            let writer = try source.openWriter()
            try writer.with(rights: .engine) { _ = try writer.checkpoint(.truncate) }
            store.takeWriter(writer)
        } else if try reader.value("PRAGMA journal_mode", as: String.self) == "wal" {
            store.readers?.connections.first?.take(reader)
        } else {
            source.closeReader(reader)
            store.takeWriter(try source.openWriter())
        }
        return store
    }

    /// Creates a new database under a key, without a keyring.
    ///
    /// A keyring that records databases opens no others: record this one with ``Keyring/bind(_:in:)`` before the store
    /// is closed.
    /// - Throws: ``LockstepError/Code/alreadyExists`` if anything exists at `path`.
    public static func create(
        _ path: FilePath, rawKey: borrowing DatabaseKey, options: StoreOptions = .init()
    ) throws -> Store {
        let options = options.ofStore(isNew: true)
        let key = try rawKey.forNewDatabase()
        let writer = try Connection.create(path, key: key, options: StoreSource.writerOptions(options))
        let store = Store(try StoreSource(path, key: key, options))
        store.takeWriter(writer)
        return store
    }

    /// A database in memory under a random key that is not stored. It disappears when the store is closed: for tests
    /// and previews. Its one connection serves reads and writes in turn.
    /// - Throws: The errors of ``Connection/inMemory(_:)``.
    public static func inMemory(options: StoreOptions = .init()) throws -> Store {
        let options = options.ofStore(isNew: true)
        let connection = try Connection.inMemory(StoreSource.writerOptions(options))
        return Store(StoreSource(inMemory: options), inMemory: connection)
    }

    /// A database in a new file in the temporary folder, under a random key that is not stored. It
    /// behaves like any other and is removed when the store is closed. A process that is killed leaves the file, which
    /// cannot be read.
    /// - Throws: The errors of ``create(_:rawKey:options:)``; ``LockstepError/Code/accessDenied`` and other errors of
    ///   making a folder.
    public static func temporary(options: StoreOptions = .init()) throws -> Store {
        let options = options.ofStore(isNew: true)
        let folder = try Folder.makeTemporary()
        let path = folder.appending("temporary.db")
        do {
            let key = try DatabaseKey.ephemeral()
            let writer = try Connection.create(path, key: key, options: StoreSource.writerOptions(options))
            let store = Store(
                try StoreSource(path, key: key, options, temporaryFolder: folder))
            store.takeWriter(writer)
            return store
        } catch {
            DatabaseFile.remove(path)
            AtomicFile.removeFolder(folder)
            throw error
        }
    }
}

extension StoreOptions {
    /// The same options, with the additions of higher layers shared by the store's connections.
    fileprivate func ofStore(isNew: Bool) -> StoreOptions {
        var options = self
        options.connection.addition = connection.addition?.shared(isNew: isNew)
        return options
    }
}

extension Connection {
    /// Runs `body` in a read-only transaction, on a connection that can otherwise write.
    func readOnly<Result>(_ body: (borrowing Connection) throws -> Result) throws -> Result {
        try run(.forbidWriting)
        return try running({ try read(body) }) { try run(.allowWriting) }
    }
}
