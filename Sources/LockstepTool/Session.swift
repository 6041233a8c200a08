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

    /// What opens files that are imported, where one was named: the same identity as for keyrings.
    func importIdentity() throws -> ImportIdentity? {
        guard let path = credentials.identity else { return nil }
        return ImportIdentity(try Identity.read(FilePath(path)))
    }

    func keyringFile() throws -> KeyringFile { keyrings.file(for: try database.path()) }
}

/// What every command needs that works on an existing database: its path, its opened keyring, its key.
struct Session: ~Copyable {
    let path: FilePath
    let keyring: Keyring
    /// The keys of the datasets whose sealed columns are to be opened.
    let fields: [FieldKeys]

    /// Opens the keyring of the database at `path`, and those of datasets.
    static func open(
        _ path: FilePath, _ keyrings: KeyringOptions, _ fields: FieldsOptions,
        _ credentials: CredentialOptions
    ) throws -> Session {
        // Asking for a passphrase first would be a waste where there is no file.
        try Diagnosis.requireDatabase(path)
        let source = CredentialSource(credentials)
        return Session(
            path: path, keyring: try source.open(keyrings.file(for: path)),
            fields: try fields.open(in: keyrings.folder, source))
    }

    /// Opens the database.
    func connect(queryOnly: Bool = false) throws -> Connection {
        var options = ConnectionOptions()
        options.isQueryOnly = queryOnly
        options.fieldKeys = fields
        // Some 0.1 to 1 ms between two looks.
        options.progress = ProgressHandler(every: 10_000) { !Interruption.hasCome }
        return try Connection.open(path, key: key(), options: options)
    }

    /// Opens the database as a store.
    func store() throws -> Store {
        var options = StoreOptions()
        options.connection.fieldKeys = fields
        return try Store.open(path, key: key(), options: options)
    }

    /// The key that the database is under, also after a rotation that was interrupted.
    func key() throws -> DatabaseKey { try keyring.databaseKey(for: path) }
}
