internal import SystemPackage

// From a path to a store
// ======================
//
// An opening finds each of these, or makes it, in this order:
//
//   1. the key file, if there is neither it, nor a keyring, nor a database
//   2. the database's keyring, which records the database before it is made; see Keyring+Creation.swift
//   3. the fields keyring of each dataset
//   4. the database, and in the keyring that it was made
//   5. in a fields keyring that remembers other databases, that nothing is sealed in this one yet: before it is made,
//      or when somebody says that it is new
//   6. the versions of the migration sets
//   7. in the fields keyrings, what is sealed now
//
// Then it checks that what is sealed is what the sets and the program say, that the schema is what the migrations make,
// and that the records fit it. A kill between two steps leaves a beginning that the next opening finds; each step looks
// at what is there, not at what the last opening did. What can be refused is asked before the first step. Steps 1 to 4
// are one program's at a time (`DatabaseCreation`); another that starts meanwhile waits and finds the database. With
// datasets, steps 5 to 7 are, too: the lock is on `.<name>.opening` beside the database.
//
// What may be made, and what is missing
//
//   database, keyring     opened neither               made, unless the mode forbids it keyring only          made, if
//   the keyring records no database that was made: an opening was killed, or someone made the keyring by itself.
//   Otherwise the database is gone, which is an error: an empty one would look like the loss of everything database
//   only         an error: a new keyring could not open it fields keyring        made beside a database in which every
//   registry belongs to a keyring that is there; otherwise the missing one may be that of the other registry
//
// That nothing is sealed yet is known from the fields keyrings, or from somebody who says so, never from the file or
// from what the database's keyring records; see `ConnectionOptions.firstTime`.

/// One opening of a store with its keyrings.
struct StoreOpening {
    let path: FilePath
    let key: KeySource
    let file: KeyringFile
    /// The ring that the keyring must have; nil for any.
    let ring: RingID?
    let migrations: [MigrationSet]
    let datasets: [Dataset]
    let records: [any Record.Type]
    let mode: OpeningMode
    let options: StoreOptions
    /// Whether somebody says that the database is new to the fields keyrings.
    let firstTime: Bool
    private let opened = Opened()

    /// The keyrings that are open already: to open one by its passphrase takes half a second.
    private final class Opened {
        var database: OpenedKeyring?
        var fields: [String: OpenedFields] = [:]  // exact: names of datasets
    }

    init(
        _ path: FilePath, _ key: KeySource, _ keyring: KeyringFile?, _ ring: RingID?, _ migrations: [MigrationSet],
        _ datasets: [Dataset], _ records: [any Record.Type], _ firstTime: Bool, _ mode: OpeningMode,
        _ options: StoreOptions
    ) {
        self.path = path
        self.key = key
        file = keyring ?? .database(beside: path.fromRoot)
        self.ring = ring
        self.migrations = migrations
        self.datasets = datasets
        self.records = records
        self.firstTime = firstTime
        self.mode = options.isReadOnly && !mode.isReadOnly ? .readOnly : mode
        self.options = options
    }

    func run() throws -> Store {
        _ = try LinkGuard.check()
        try requireDistinctDatasets()
        var isNew = false
        switch mode {
        case .openOrCreate: isNew = try FileAccess.exists(path) ? false : make()
        case .new: isNew = try make()
        case .existing, .readOnly, .immutable: break
        }
        try requireThere()
        let store = try mode.isReadOnly ? read() : open(isNew: isNew)
        return store
    }

    // MARK: Opening

    /// How long an opening waits for another one that migrates.
    private static let longestWait = Duration.seconds(60)

    /// Sealing a column takes several transactions, and changes keyrings that the others have read. So programs that
    /// start at once with field keys open the database one after the other.
    private func waitForTurn() throws -> FileLock? {
        guard !datasets.isEmpty else { return nil }
        var wait = FileLockWait.current
        wait.timeout = max(wait.timeout, Self.longestWait)
        do {
            return try wait.lock(AtomicFile.hiddenSibling("opening", of: path), as: .use)
        } catch let error as LockstepError where error.code == .accessDenied {
            // Where nobody can make a file, nobody seals a column.
            return nil
        }
    }

    private func open(isNew: Bool) throws -> Store {
        let turn = try waitForTurn()
        defer { _ = turn }
        // Another program may have changed them since they were opened.
        for fields in opened.fields.values { _ = try fields.reread() }
        PendingCopies.removeAbandoned(of: path)
        let keyrings = OpenedKeyrings(path, try openDatabaseKeyring(), try openOrMakeFields())
        let store = try openDatabase(keyrings, isNew: isNew)
        var report = OpeningReport(isNew: isNew)
        try store.blocking.withoutTransaction { connection in
            try report.noting { try keyrings.settle(connection) }
            try keyrings.noteUnsealed(connection)
            report.migrations = try MigrationJob(sets: migrations).run(on: connection, progress: { _ in })
            try report.noting { try keyrings.rememberSealed(connection) }
        }
        try check(store)
        store.note(report)
        return store
    }

    private func openDatabase(_ keyrings: OpenedKeyrings, isNew: Bool) throws -> Store {
        func open(isNew: Bool) throws -> Store {
            try keyrings.store(openingOptions, canBeFirst: true, isFirst: firstTime || isNew)
        }
        let store = try open(isNew: isNew)
        guard store.isCopy else { return store }
        try store.blocking.close()
        guard options.copies == .fork else { throw isCopy }
        var fork = Fork(of: path, keyring: file)
        fork.options = options.connection
        try fork.run(&keyrings.database.keyring)
        // Its keyrings have proven what it was a copy of.
        return try open(isNew: true)
    }

    /// Opens the database and writes nothing.
    private func read() throws -> Store {
        let database = try openDatabaseKeyring()
        let keyrings = OpenedKeyrings(path, database, try openFieldsForReading(database))
        let store = try keyrings.store(openingOptions, canBeFirst: true, isFirst: firstTime)
        var report = OpeningReport(isNew: false)
        report.pending = try store.blocking.read { connection in
            let history = try Ledger.history(connection)
            return migrations.reduce(into: [:]) { pending, set in
                let plan = Plan(set, history: history, target: .latest)
                if !plan.steps.isEmpty || !plan.repeatables.isEmpty { pending[set.name] = plan }
            }
        }
        // An older schema is not yet what the sets and the records say.
        if report.pending.isEmpty { try check(store) }
        store.note(report)
        return store
    }

    /// Checks that the database is what the program takes it for.
    private func check(_ store: Store) throws {
        let relied = try store.blocking.read { connection in
            let sealed = try Store.requireSealed(by: migrations, connection)
            try SealedTrust.require(reliedColumns, connection)
            try connection.check(all: records)
            return sealed + reliedColumns
        }
        store.rely(on: relied)
        if !migrations.isEmpty {
            try store.blocking.verifyLightly(migrations).requireClean()
        }
    }

    /// The columns that the program names itself.
    private var reliedColumns: [String] {
        datasets.isEmpty ? [] : options.sealed + datasets.flatMap(\.columns)
    }

    /// A pending version can be the first that seals one of the columns, so that they are checked afterwards.
    private var openingOptions: StoreOptions {
        var options = options
        options.connection.access = mode.access
        if !datasets.isEmpty { options.sealed = [] }
        return options
    }

    // MARK: Keyrings

    func openDatabaseKeyring() throws -> OpenedKeyring {
        if let database = opened.database { return database }
        let open = opener(file, key, ring)
        return keep(try open(), reopen: open)
    }

    @discardableResult
    func keep(
        _ keyring: consuming Keyring, reopen: (() throws -> Keyring)? = nil
    ) -> OpenedKeyring {
        let database = OpenedKeyring(file, keyring, reopen: reopen ?? opener(file, key, ring))
        opened.database = database
        return database
    }

    func openFields(_ dataset: Dataset) throws -> OpenedFields {
        if let fields = opened.fields[dataset.name] { return fields }
        let file = try fieldsFile(dataset)
        let open = opener(file, dataset.key ?? key, dataset.ring)
        return try keep(open(), of: dataset, reopen: open)
    }

    @discardableResult
    func keep(
        _ keyring: consuming Keyring, of dataset: Dataset, reopen: (() throws -> Keyring)? = nil
    ) throws -> OpenedFields {
        let file = try fieldsFile(dataset)
        let fields = try OpenedFields(
            file, named: dataset.name, keyring,
            reopen: reopen ?? opener(file, dataset.key ?? key, dataset.ring))
        opened.fields[dataset.name] = fields
        return fields
    }

    private func opener(_ file: KeyringFile, _ key: KeySource, _ ring: RingID?) -> () throws -> Keyring {
        { try file.open(key, ring: ring) }
    }

    func fieldsFile(_ dataset: Dataset) throws -> KeyringFile {
        if let keyring = dataset.keyring { return keyring }
        return try .fields(of: dataset.name, in: file.folder)
    }

    private func openFieldsForReading(_ database: OpenedKeyring) throws -> [OpenedFields] {
        var fields: [OpenedFields] = []
        var missing: [Dataset] = []
        for dataset in datasets {
            if try fieldsFile(dataset).exists {
                fields.append(try openFields(dataset))
            } else {
                missing.append(dataset)
            }
        }
        if let first = missing.first { try requireNothingSealed(besides: fields, database, first) }
        return fields
    }

    // MARK: What is there

    private func requireDistinctDatasets() throws {
        let names = datasets.map(\.name)
        guard Set(names).count == names.count else {
            throw LockstepError(
                .misuse, "the same dataset is named twice: \(names.joined(separator: ", "))",
                hint: "name each once, with all of its columns")
        }
        for dataset in datasets { _ = try KeyringFile.fields(of: dataset.name, in: file.folder) }
    }

    private func requireThere() throws {
        guard FileAccess.exists(path) else {
            guard file.exists else {
                throw LockstepError(
                    .notFound, "there is no database at \(path)",
                    hint: "check the path, or open it with the mode `.openOrCreate`", context: .file(path))
            }
            throw databaseMissing
        }
        guard file.exists else {
            try Diagnosis.requireDatabase(path)
            throw LockstepError(
                .keyringMissing, "\(path) is there, but its keyring \(file.path) is not",
                hint:
                    "put the keyring back, or name it with `keyring:`; without it nothing opens the database",
                context: .file(file.path))
        }
    }

    /// Requires that no registry in the file can be that of a dataset whose keyring is missing.
    func requireNothingSealed(besides fields: [OpenedFields], _ database: OpenedKeyring, _ missing: Dataset) throws {
        var options = ConnectionOptions()
        options.isQueryOnly = true
        options.access = mode.access
        let connection = try OpenedKeyrings(path, database, []).connect(options)
        let known = Set(fields.map { $0.keyring.subjectID })
        let found = try connection.with(rights: .engine) {
            Set(try RegistryTables.datasets(connection))
        }
        guard found.isSubset(of: known) else { throw try keyringMissing(missing) }
    }

    // MARK: Errors

    var databaseMissing: LockstepError {
        LockstepError(
            .databaseMissing, "the keyring \(file.path) is there, but there is no database at \(path)",
            hint:
                "put the database back, or restore a backup with `Restore`; to make another database under this "
                + "keyring, open it with the mode `.new`", context: .file(path))
    }

    private func keyringMissing(_ dataset: Dataset) throws -> LockstepError {
        let file = try fieldsFile(dataset).path
        return LockstepError(
            .keyringMissing,
            "\(path) has sealed columns of a dataset whose keyring was not given, and \(file) is not there",
            hint:
                "put the fields keyring back, or name it with `Dataset(\"\(dataset.name)\", keyring:)`; if the columns "
                + "are those of another dataset, name that one, too", context: .file(file))
    }

    private var isCopy: LockstepError {
        LockstepError(
            .isCopy, "\(path) is a copy of a database, and no database of its own",
            advice: """
                open it with the mode `.readOnly`; restore it with \(.restore); or make it a database of its own with \
                \(.fork), or by `copies` of the options
                """, context: .file(path))
    }
}
