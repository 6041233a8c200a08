public import SystemPackage

extension Store {
    /// Opens an existing database.
    /// - Throws: ``LockstepError`` that says why it does not open; see ``Diagnosis``.
    public static func open(
        _ path: FilePath, key: borrowing DatabaseKey, options: StoreOptions = .init()
    ) throws -> Store {
        let source = try StoreSource(path, key: key, options.ofStore(isNew: false))
        let store = Store(source)
        // One connection now, to know that the key fits; the others when they are needed. Only a writer can
        // put a file that is not yet in WAL mode into it, which is the first thing it does.
        let reader = try source.openReader()
        if try reader.value("PRAGMA journal_mode", as: String.self) == "wal" {
            store.readers?.connections.first?.take(reader)
        } else {
            source.closeReader(reader)
            store.takeWriter(try source.openWriter())
        }
        return store
    }

    /// Makes a new database.
    /// - Throws: ``LockstepError/Code/alreadyExists`` if anything stands at `path`.
    public static func create(
        _ path: FilePath, key: borrowing DatabaseKey, options: StoreOptions = .init()
    ) throws -> Store {
        let options = options.ofStore(isNew: true)
        let writer = try Connection.create(
            path, key: key, options: StoreSource.writerOptions(options))
        let store = Store(try StoreSource(path, key: key, options))
        store.takeWriter(writer)
        return store
    }

    /// A database in memory under a key that nobody knows, gone when the store is closed: for tests and
    /// previews. Its one connection serves reads and writes in turn.
    public static func inMemory(options: StoreOptions = .init()) throws -> Store {
        let options = options.ofStore(isNew: true)
        let connection = try Connection.inMemory(StoreSource.writerOptions(options))
        return Store(StoreSource(inMemory: options), inMemory: connection)
    }

    /// A database in a new file of the temporary folder under a key that nobody knows, which behaves as
    /// any other and is removed when the store is closed. A process that is killed leaves the file, which
    /// nobody can read.
    public static func temporary(options: StoreOptions = .init()) throws -> Store {
        let options = options.ofStore(isNew: true)
        let folder = try Folder.makeTemporary()
        do {
            let path = folder.appending("temporary.db")
            let key = try DatabaseKey.ephemeral()
            let writer = try Connection.create(
                path, key: key, options: StoreSource.writerOptions(options))
            let store = Store(
                try StoreSource(path, key: key, options, temporaryFolder: folder))
            store.takeWriter(writer)
            return store
        } catch {
            for suffix in ["", "-wal", "-shm", "-journal"] {
                AtomicFile.remove(folder.appending("temporary.db\(suffix)"))
            }
            AtomicFile.removeFolder(folder)
            throw error
        }
    }
}

extension StoreOptions {
    /// The same, with what layers above add shared by the store's connections.
    fileprivate func ofStore(isNew: Bool) -> StoreOptions {
        var options = self
        options.connection.addition = connection.addition?.shared(isNew: isNew)
        return options
    }
}

extension Connection {
    /// Runs `body` in a transaction that may only read, on a connection that otherwise may write.
    func readOnly<Result>(_ body: (borrowing Connection) throws -> Result) throws -> Result {
        try run(.forbidWriting)
        let result: Result
        do {
            result = try read(body)
        } catch {
            try run(.allowWriting)
            throw error
        }
        try run(.allowWriting)
        return result
    }
}
