public import Lockstep

extension ModelStore {
    /// A store in memory whose schema is the newest, under a key that nobody knows, and gone when it is closed: what
    /// the original programs got for a path that is nil. Its one connection serves reads and writes in turn. Blocks
    /// while it migrates, some milliseconds.
    /// - Parameter options: The keys of sealed columns, for one, are among them.
    /// - Throws: ``LockstepError``, as of a migration; ``LockstepError/Code/keyUnavailable`` where the schema seals a
    ///   column and the options have no keys for it.
    public static func inMemory(options: StoreOptions = .init()) throws -> Self {
        try migrated(.inMemory(options: options))
    }

    /// The same without blocking an actor.
    /// - Throws: as its blocking form; `CancellationError`.
    @concurrent
    public static func inMemory(options: StoreOptions = .init()) async throws -> Self {
        try await migrated(.inMemory(options: options))
    }

    /// A store in a new file of the temporary folder whose schema is the newest, under a key that nobody knows; the
    /// file is removed when the store is closed: what the original programs got for an empty path.
    /// - Parameter options: The keys of sealed columns, for one, are among them.
    /// - Throws: as ``inMemory(options:)``; what hinders making the file.
    public static func temporary(options: StoreOptions = .init()) throws -> Self {
        try migrated(.temporary(options: options))
    }

    /// The same without blocking an actor.
    /// - Throws: as its blocking form; `CancellationError`.
    @concurrent
    public static func temporary(options: StoreOptions = .init()) async throws -> Self {
        try await migrated(.temporary(options: options))
    }

    private static func migrated(_ store: Store) throws -> Self {
        try store.migrate(ModelMigrations.set(setName))
        return Self(store)
    }

    private static func migrated(_ store: Store) async throws -> Self {
        try await store.migrate(ModelMigrations.set(setName))
        return Self(store)
    }
}
