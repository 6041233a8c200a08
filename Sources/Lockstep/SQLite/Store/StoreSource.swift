internal import Synchronization
internal import SystemPackage

/// The source of a store's connections: the path, the key, the options.
final class StoreSource: Sendable {
    let options: StoreOptions
    private let lasting: LastingPath
    let isInMemory: Bool
    private let key: Mutex<SharedSecret<DatabaseKey>?>
    /// The file that the first connection opened.
    private let identity: FileIdentity?
    private let openReaders = Atomic<Int>(0)
    /// A folder to remove with the store.
    private let temporaryFolder: FilePath?

    init(
        _ path: FilePath, key: borrowing DatabaseKey, _ options: StoreOptions,
        temporaryFolder: FilePath? = nil
    ) throws {
        // Further connections open by it, perhaps from another working directory.
        lasting = LastingPath(path)
        self.options = options
        self.temporaryFolder = temporaryFolder
        isInMemory = false
        self.key = Mutex(SharedSecret(try key.clone()))
        identity = FileIdentity(path)
    }

    /// The source of a store in memory, which has only one connection.
    init(inMemory options: StoreOptions) {
        lasting = LastingPath(":memory:")
        self.options = options
        temporaryFolder = nil
        isInMemory = true
        key = Mutex(nil)
        identity = nil
    }

    var path: FilePath { isInMemory ? ":memory:" : lasting.path }

    /// Whether the path now leads to another file, or to none. SQLite finds the log by the path, and further
    /// connections open by it: both would be the other file's.
    var isReplaced: Bool { !isInMemory && FileIdentity(path) != identity }

    /// - Throws: ``LockstepError/Code/replaced``.
    func requireInPlace() throws(LockstepError) {
        guard isReplaced else { return }
        throw LockstepError(
            .replaced, "\(path) was moved or replaced while it was open",
            hint:
                "close the store; \(path)-wal belongs to the moved file: move it there before "
                + "anything opens the file that is now at this path", context: .file(path))
    }

    /// The writer's options.
    static func writerOptions(_ options: StoreOptions) -> ConnectionOptions {
        var writing = options.connection
        writing.cacheBytes = options.cacheBytes / 4
        writing.looksAtLog = false
        return writing
    }

    /// Whether the store may change the file.
    var isWritable: Bool { options.connection.access == .full }

    /// - Throws: ``LockstepError/Code/readOnly`` for a store that only reads.
    func openWriter() throws -> Connection {
        guard isWritable else {
            throw LockstepError(
                .readOnly, "\(path) was opened to be read only",
                hint: "open it with the mode `.existing` to change it", context: .file(path))
        }
        try requireInPlace()
        let writer = try withKey { key in
            var writing = Self.writerOptions(options)
            writing.isLater = true
            return try Connection.open(path, key: key, options: writing)
        }
        guard !writer.core.isCopy else { throw copy }
        return writer
    }

    private var copy: LockstepError {
        LockstepError(
            .isCopy, "\(path) is a copy of a database: the store only reads it",
            advice: """
                to change it, make it a database of its own with \(.fork); to go on with it as the database, put it in \
                its place with \(.restore)
                """,
            context: .file(path))
    }

    /// How many bytes of pages each reader can cache with the current number of readers.
    var readerCacheBytes: Int {
        options.cacheBytes / 4 * 3 / max(openReaders.load(ordering: .relaxed), 1)
    }

    /// - Parameter isFirst: Whether it is the store's first connection, before which nobody has looked at the log.
    func openReader(isFirst: Bool = false) throws -> Connection {
        openReaders.add(1, ordering: .relaxed)
        do {
            return try openQueryOnly(cacheBytes: readerCacheBytes, isFirst: isFirst)
        } catch {
            openReaders.subtract(1, ordering: .relaxed)
            throw error
        }
    }

    func closeReader(_ connection: consuming Connection) {
        _ = consume connection
        forgetReader()
    }

    /// A reader was closed.
    func forgetReader() { openReaders.subtract(1, ordering: .relaxed) }

    func openCheckpointer() throws -> Connection { try openQueryOnly(cacheBytes: 0) }

    private func openQueryOnly(cacheBytes: Int, isFirst: Bool = false) throws -> Connection {
        var reading = options.connection
        reading.looksAtLog = isFirst
        reading.isLater = !isFirst
        reading.isQueryOnly = true
        reading.sharesLog = isWritable
        reading.cacheBytes = cacheBytes
        try requireInPlace()
        return try withKey { key in try Connection.open(path, key: key, options: reading) }
    }

    /// Calls `body` with the key.
    func withKey<Result: ~Copyable>(
        _ body: (borrowing DatabaseKey) throws -> Result
    ) throws -> Result {
        guard !isInMemory else {
            throw LockstepError(
                .misuse, "a store in memory has no key that a file could be under",
                hint: "give the copy a key of its own")
        }
        // The holder stays alive while it is used, even if the store is closed meanwhile.
        guard let holder = key.withLock({ $0 }) else { throw ConnectionQueue.closed }
        return try body(holder.value)
    }

    /// Forgets the key, and removes a temporary store's files.
    func wipe() {
        key.withLock { $0 = nil }
        guard let temporaryFolder else { return }
        DatabaseFile.remove(path)
        AtomicFile.removeFolder(temporaryFolder)
    }
}
