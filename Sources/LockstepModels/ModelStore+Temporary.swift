public import Lockstep

extension ModelStore {
    /// A store in memory with the newest schema, under a random key that is not stored; it is gone when it is closed.
    /// It is what the original programs opened for a nil path. Its one connection serves reads and writes in turn.
    /// Blocks for some milliseconds while it migrates.
    /// - Parameter options: They include the keys of sealed columns, among others.
    /// - Throws: The errors of `Store.inMemory` and `Store.migrate`, such as `LockstepError.Code.keyUnavailable` if
    ///   the schema seals a column and the options have no keys for it.
    public static func inMemory(options: StoreOptions = .init()) throws -> Self {
        try migrated(.inMemory(options: options))
    }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    @concurrent
    public static func inMemory(options: StoreOptions = .init()) async throws -> Self {
        try await migrated(.inMemory(options: options))
    }

    /// A store with the newest schema in a new file in the temporary folder, under a random key that is not stored; the
    /// file is removed when the store is closed. It is what the original programs opened for an empty path.
    /// - Parameter options: They include the keys of sealed columns, among others.
    /// - Throws: The same as in memory; the errors of `Store.temporary`.
    public static func temporary(options: StoreOptions = .init()) throws -> Self {
        try migrated(.temporary(options: options))
    }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    @concurrent
    public static func temporary(options: StoreOptions = .init()) async throws -> Self {
        try await migrated(.temporary(options: options))
    }

    private static func migrated(_ store: Store) throws -> Self {
        try store.blocking.migrate(ModelMigrations.set(setName))
        return Self(store)
    }

    private static func migrated(_ store: Store) async throws -> Self {
        try await store.migrate(ModelMigrations.set(setName))
        return Self(store)
    }
}
