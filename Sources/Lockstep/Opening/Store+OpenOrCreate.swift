public import SystemPackage

extension Store {
    /// Opens the database at a path with its keyring, or makes both; migrates it, and checks that it is what the
    /// program takes it for.
    ///
    ///     let store = try await Store.open(
    ///         "films.db", key: .keyFile("my.key"), migrations: EmbeddedMigrations.films, records: Film.self)
    ///
    /// The keyring lies in a folder beside the database, `films.db.keys`: move both together, and keep copies of both.
    /// A program that is killed at any moment starts again with the same call; several that start at once make one
    /// database, and all of them open it. See <doc:OpeningAStore>.
    /// - Parameters:
    ///   - path: The database.
    ///   - key: What opens its keyring, or protects a new one.
    ///   - keyring: Its keyring; nil for the one beside the database.
    ///   - ring: The ring that the keyring must have; nil for any. A keyring that is made gets a new one, so that a program
    ///     names it once its database is there.
    ///   - migrations: The sets that make its schema, in the order in which they run. If the database has other sets,
    ///     too, the schema is not compared.
    ///   - sealed: The datasets whose sealed columns the program reads and writes.
    ///   - records: Types that are compared with their tables: see ``Connection/check(_:)``.
    ///   - firstTime: Whether the database is new to the fields keyrings of the datasets, which remember others: see
    ///     ``ConnectionOptions/firstTime``. Not needed for one that this call makes, nor for keyrings that remember
    ///     none.
    ///   - mode: Whether the database may be made, or only read.
    ///   - options: How the store works. Columns that they name in ``StoreOptions/sealed`` are checked after migrating.
    /// - Returns: The store, whose ``opening`` says what was made and migrated.
    /// - Throws: ``LockstepError/Code/keyringMissing``, ``LockstepError/Code/databaseMissing``,
    ///   ``LockstepError/Code/notFound``, ``LockstepError/Code/alreadyExists``, ``LockstepError/Code/isCopy``;
    ///   ``LockstepError/Code/noUsableSlot`` and ``LockstepError/Code/slotNotOpened`` if the key opens no keyring;
    ///   ``LockstepError/Code/permissionsTooOpen``; ``LockstepError/Code/otherRing``;
    ///   ``LockstepError/Code/verificationFailed``,
    ///   ``LockstepError/Code/registryMissing`` and ``LockstepError/Code/recordMisfit`` for a database that is not what
    ///   the program takes it for; the errors of ``open(_:keyring:in:options:)`` and of
    ///   ``migrate(_:to:timeout:allowsOutOfOrder:recordedDown:progress:)``; `CancellationError`.
    @concurrent
    public static func open(
        _ path: FilePath, key: KeySource, keyring: KeyringFile? = nil, ring: RingID? = nil,
        migrations: MigrationSet..., sealed: Dataset..., records: any Record.Type...,
        firstTime: Bool = false, mode: OpeningMode = .openOrCreate, options: StoreOptions = .init()
    ) async throws -> Store {
        let opening = StoreOpening(path, key, keyring, ring, migrations, sealed, records, firstTime, mode, options)
        return try await JobThread.run { try opening.run() }
    }

    /// The same with lists.
    @concurrent
    package static func open(
        _ path: FilePath, key: KeySource, keyring: KeyringFile?, ring: RingID?, sets: [MigrationSet],
        datasets: [Dataset], firstTime: Bool, mode: OpeningMode, options: StoreOptions
    ) async throws -> Store {
        let opening = StoreOpening(path, key, keyring, ring, sets, datasets, [], firstTime, mode, options)
        return try await JobThread.run { try opening.run() }
    }

    /// The same on this thread, for code that is not asynchronous.
    /// - Parameters:
    ///   - path: The database.
    ///   - key: What opens its keyring, or protects a new one.
    ///   - keyring: Its keyring; nil for the one beside the database.
    ///   - ring: The ring that the keyring must have; nil for any. A keyring that is made gets a new one, so that a program
    ///     names it once its database is there.
    ///   - migrations: The sets that make its schema, in the order in which they run.
    ///   - sealed: The datasets whose sealed columns the program reads and writes.
    ///   - records: Types that are compared with their tables: see ``Connection/check(_:)``.
    ///   - firstTime: Whether the database is new to the fields keyrings of the datasets, which remember others: see
    ///     ``ConnectionOptions/firstTime``. Not needed for one that this call makes, nor for keyrings that remember
    ///     none.
    ///   - mode: Whether the database may be made, or only read.
    ///   - options: How the store works.
    /// - Returns: The store, whose ``opening`` says what was made and migrated.
    /// - Throws: The errors of the asynchronous form.
    @available(*, noasync, message: "this blocks the thread: use `try await Store.open`")
    public static func openBlocking(
        _ path: FilePath, key: KeySource, keyring: KeyringFile? = nil, ring: RingID? = nil,
        migrations: MigrationSet..., sealed: Dataset..., records: any Record.Type...,
        firstTime: Bool = false, mode: OpeningMode = .openOrCreate, options: StoreOptions = .init()
    ) throws -> Store {
        try StoreOpening(path, key, keyring, ring, migrations, sealed, records, firstTime, mode, options).run()
    }
}
