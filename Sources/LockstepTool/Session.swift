import ArgumentParser
import Lockstep
import SystemPackage

/// What every command needs that works on an existing database: its path, its opened keyring, its key.
struct Session: ~Copyable {
    let path: FilePath
    let keyring: Keyring

    init(
        _ database: DatabaseOptions, _ keyrings: KeyringOptions, _ credentials: CredentialOptions
    ) throws {
        let path = try database.path()
        // Asking for a passphrase first would be a waste where there is no file.
        try Diagnosis.requireDatabase(path)
        let keyring = try credentials.open(keyrings.file(for: path))
        self.path = path
        self.keyring = keyring
    }

    /// Opens the database.
    func connect(queryOnly: Bool = false) throws -> Connection {
        var options = ConnectionOptions()
        options.isQueryOnly = queryOnly
        return try Connection.open(path, key: keyring.databaseKey(), options: options)
    }

    /// Opens the database as a store.
    func store() throws -> Store { try Store.open(path, key: keyring.databaseKey()) }
}
