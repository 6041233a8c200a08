public import Lockstep
public import SystemPackage

/// A model store: typed values over a database that can contain others as well.
///
/// Every call of a store throws `LockstepError.Code.closed` after the database was closed,
/// `LockstepError.Code.sqlFailed` if the schema of its set is not in place, and
/// `LockstepError.Code.keyUnavailable` if it needs a sealed column and the database was opened without the column's
/// keys. SQLite's errors pass through; see `LockstepError.sqliteCode`. A call that fails changes nothing, except
/// where its documentation says otherwise.
public protocol ModelStore: Sendable {
    /// The name of its migration set.
    static var setName: String { get }
    /// The datasets of the columns that its set seals; none by default.
    static var datasets: [String] { get }
    /// The database that it works on.
    var store: Store { get }
    /// A store over a database whose schema is in place, possibly shared with other stores.
    init(_ store: Store)
}

extension ModelStore {
    /// The datasets of the columns that its set seals.
    public static var datasets: [String] { [] }

    /// Opens the database at a path with its keyring, or makes both; migrates the schema to the newest version, and
    /// checks it: as `Store.open(_:key:keyring:ring:migrations:sealed:records:firstTime:mode:options:)` does with the set of
    /// this store.
    /// - Parameters:
    ///   - path: The database file.
    ///   - key: What opens its keyring, or protects a new one.
    ///   - keyring: Its keyring; nil for the one beside the database.
    ///   - ring: The ring that the keyring must have; nil for any.
    ///   - sealed: The datasets whose sealed columns are read and written; without any, those of ``datasets``, whose
    ///     keyrings are opened by `key`.
    ///   - firstTime: Whether the database is new to the fields keyrings of the datasets, which remember others: see
    ///     `ConnectionOptions.firstTime`.
    ///   - mode: Whether the database may be made, or only read.
    ///   - options: How the store works.
    /// - Throws: The errors of that call; `CancellationError`.
    @concurrent
    public static func open(
        _ path: FilePath, key: KeySource, keyring: KeyringFile? = nil, ring: RingID? = nil, sealed: Dataset...,
        firstTime: Bool = false, mode: OpeningMode = .openOrCreate, options: StoreOptions = .init()
    ) async throws -> Self {
        let store = try await Store.open(
            path, key: key, keyring: keyring, ring: ring, sets: [ModelMigrations.set(setName)],
            datasets: sealed.isEmpty ? datasets.map { Dataset($0) } : sealed, firstTime: firstTime, mode: mode,
            options: options)
        return Self(store)
    }

    /// Opens the database at `path`, making it first if there is none; migrates the schema to the newest version, and
    /// checks it lightly. Blocks.
    ///
    /// With `StoreOptions.isReadOnly` nothing is made or migrated: so a database that comes with a program opens where
    /// it lies, also on read-only media.
    /// - Parameters:
    ///   - path: The database file.
    ///   - key: Its key.
    ///   - template: What a new database starts as; an existing one is never overwritten.
    ///   - options: They include the keys of sealed columns, among others.
    /// - Throws: The errors of `Store.open`, `Store.create`, `Provisioning` and `Store.migrate`;
    ///   `LockstepError.Code.readOnly` if a database that is only read needs to be migrated first;
    ///   `LockstepError.Code.registryMissing` if a column is not sealed that the set seals;
    ///   `LockstepError.Code.verificationFailed` if the schema does not match the migrations.
    public static func open(
        _ path: FilePath, key: borrowing DatabaseKey, template: borrowing ModelTemplate? = nil,
        options: StoreOptions = .init()
    ) throws -> Self {
        let set = try ModelMigrations.set(setName)
        let store = try openOrCreate(path, key, template, options)
        if options.isReadOnly {
            try store.blocking.read { try requireNewest(set, $0) }
        } else {
            try store.blocking.migrate(set)
        }
        try store.blocking.requireSealed(by: set)
        try store.blocking.verifyLightly(ModelMigrations.all()).requireClean()
        return Self(store)
    }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    @concurrent
    public static func open(
        _ path: FilePath, key: borrowing DatabaseKey, template: borrowing ModelTemplate? = nil,
        options: StoreOptions = .init()
    ) async throws -> Self {
        let set = try ModelMigrations.set(setName)
        let store = try openOrCreate(path, key, template, options)
        if options.isReadOnly {
            try await store.read { try requireNewest(set, $0) }
        } else {
            try await store.migrate(set)
        }
        try await store.requireSealed(by: set)
        try await store.verifyLightly(ModelMigrations.all()).requireClean()
        return Self(store)
    }

    private static func openOrCreate(
        _ path: FilePath, _ key: borrowing DatabaseKey, _ template: borrowing ModelTemplate?, _ options: StoreOptions
    ) throws -> Store {
        var options = options
        // A pending version can be the first that seals anything; afterwards the set decides.
        if !options.connection.fieldKeys.isEmpty {
            options.connection.mayBeUnsealed = true
            options.connection.mayBeUnknown = true
        }
        guard !options.isReadOnly, !FileAccess.exists(path) else {
            return try Store.open(path, rawKey: key, options: options)
        }
        do {
            guard template != nil else {
                return try Store.create(path, rawKey: key, options: options)
            }
            try provision(path, key, template, options)
        } catch let error as LockstepError where error.code == .alreadyExists {
            // Another process made it in the meantime: several processes can start at once.
        }
        return try Store.open(path, rawKey: key, options: options)
    }

    private static func requireNewest(
        _ set: MigrationSet, _ connection: borrowing Connection
    ) throws {
        let plan = Plan(set, history: try Ledger.history(connection), target: .latest)
        guard let step = plan.steps.first else { return }
        throw LockstepError(
            .readOnly,
            "\(connection.path) is older than this program: version \(step.version) of \(set.name) is pending, and the "
                + "database is only read",
            hint: "open it once without `isReadOnly`, where it can be written, which migrates it",
            context: .init(file: connection.path.string, set: set.name))
    }

    private static func provision(
        _ path: FilePath, _ key: borrowing DatabaseKey, _ template: borrowing ModelTemplate?, _ options: StoreOptions
    ) throws {
        switch template {
        case nil: break
        case .some(let template):
            try Provisioning(path, from: template.path, options: options.connection)
                .run(key: key, templateKey: template.key)
        }
    }
}
