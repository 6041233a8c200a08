import ArgumentParser
import Lockstep
import LockstepModels
import SystemPackage

/// Which database, and what opens it.
struct AccessOptions: ParsableArguments {
    @OptionGroup var database: DatabaseOptions
    @OptionGroup var keyrings: KeyringOptions
    @OptionGroup var fields: FieldsOptions
    @OptionGroup var credentials: CredentialOptions

    /// Opens the keyring; the database follows when it is needed.
    func session() throws -> Session {
        try Session.open(database.path(), keyrings, fields, credentials)
    }

    /// Opens the keyring, whether there is a database or not.
    func keyring() throws -> Keyring { try credentials.open(keyringFile()) }

    func keyringFile() throws -> KeyringFile { keyrings.file(for: try database.path()) }

    /// The store of a model.
    func model<Model: ModelStore>(_ type: Model.Type) throws -> Model { try session().model(type) }
}

/// What every command needs that works on an existing database: its path, its opened keyring, its key.
struct Session: ~Copyable {
    let path: FilePath
    private let file: KeyringFile
    var keyring: Keyring
    /// The keyrings of the datasets whose sealed columns are to be opened.
    private let fieldsKeyrings: [FieldsKeyring]

    /// Opens the keyring of the database at `path`, and those of datasets.
    static func open(
        _ path: FilePath, _ keyrings: KeyringOptions, _ fields: FieldsOptions,
        _ credentials: CredentialOptions
    ) throws -> Session {
        // Asking for a passphrase first would be a waste where there is no file.
        try Diagnosis.requireDatabase(path)
        let source = CredentialSource(credentials)
        let file = keyrings.file(for: path)
        return Session(
            path: path, file: file, keyring: try source.open(file),
            fieldsKeyrings: try fields.open(in: keyrings.folder, source))
    }

    /// The keys of the datasets whose sealed columns are to be opened.
    var fields: [FieldKeys] { fieldsKeyrings.map(\.keys) }

    /// Opens the database.
    /// - Parameter isFirst: Whether nothing of the datasets may be sealed yet.
    func connect(
        queryOnly: Bool = false, isFirst: Bool = false, _ limits: Limits? = nil
    ) throws -> Connection {
        var options = ConnectionOptions()
        options.isQueryOnly = queryOnly
        limits?.apply(to: &options)
        options.limits[.valueLength] = limits?.valueLength
        options.fieldKeys = fields
        if isFirst, !fields.isEmpty { options.mayBeUnsealed = true }
        // Some 0.1 to 1 ms between two looks.
        options.progress = ProgressHandler(every: 10_000) { !Interruption.hasCome }
        return try Connection.open(path, key: key(), options: options)
    }

    /// Whether one of the fields keyrings remembers a database.
    var knowsDatabases: Bool { fieldsKeyrings.contains { $0.isUsed } }

    /// Opens the database as a store.
    func store(_ limits: Limits? = nil) throws -> Store {
        var options = StoreOptions()
        limits?.apply(to: &options.connection)
        options.connection.fieldKeys = fields
        return try Store.open(path, key: key(), options: options)
    }

    /// The store of a model, in a database that has sealed what its migrations say.
    func model<Model: ModelStore>(_: Model.Type, _ limits: Limits? = nil) throws -> Model {
        let store = try store(limits)
        try store.requireSealed(by: ModelMigrations.set(Model.setName))
        return Model(store)
    }

    /// Has the database and its keyring know each other.
    mutating func bind(_ connection: borrowing Connection) {
        Remembering.bind(connection, &keyring, in: file)
    }

    /// The same for a database that was made of this one just now, whatever it remembers.
    mutating func bind(new database: FilePath) {
        Remembering.bind(new: database, &keyring, in: file)
    }

    /// Has the fields keyrings remember what the database proves by now.
    /// - Parameter connection: The one that has changed it.
    func rememberSealed(_ connection: borrowing Connection) {
        for keyring in fieldsKeyrings { keyring.remember(connection) }
    }

    /// The same after a procedure that had a connection of its own.
    /// - Parameter database: The id that the database had when the command opened it.
    func rememberSealed(in database: [UInt8]?) {
        guard !fieldsKeyrings.isEmpty else { return }
        do {
            var options = ConnectionOptions()
            options.fieldKeys = fields
            options.mayBeUnsealed = true
            options.mayBeUnknown = true
            let connection = try Connection.open(path, key: key(), options: options)
            guard try database == nil || connection.databaseID() == database else {
                throw LockstepError(.tampered, "it is another database than it was a moment ago")
            }
            rememberSealed(connection)
        } catch {
            let reason = (error as? LockstepError)?.message ?? "\(error)"
            Output.note(
                "notice: the fields keyrings do not remember what is sealed in \(path): \(reason)")
            Output.note("hint: `lockstep verify --fields` shows what is wrong")
        }
    }

    /// The key that the database is under, also after a rotation that was interrupted.
    func key() throws -> DatabaseKey { try keyring.databaseKey(for: path) }
}
