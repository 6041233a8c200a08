import SystemPackage
import TestSupport

@testable import Lockstep

/// A folder with a database, its keyring and its fields keyring. The operator has only the database's key; the program
/// has both keyrings.
struct TamperedDatabase {
    let folder: TemporaryFolder
    let isMigrating: Bool

    init(folder: TemporaryFolder, isMigrating: Bool) {
        self.folder = folder
        self.isMigrating = isMigrating
    }

    /// A copy of the prototype.
    init(_ prototype: OperatorPrototype) throws {
        self.init(folder: try TemporaryFolder(), isMigrating: prototype.isMigrating)
        for (name, bytes) in prototype.files { try folder.write(name, bytes) }
    }

    /// A copy of another folder's content.
    init(copying other: TamperedDatabase) throws {
        self.init(folder: try TemporaryFolder(), isMigrating: other.isMigrating)
        for name in [
            OperatorPrototype.database, OperatorPrototype.databaseKeyring,
            OperatorPrototype.fieldsKeyring,
        ] {
            try folder.write(name, Bytes.read(other.folder.file(name)))
        }
    }

    var path: FilePath { folder.file(OperatorPrototype.database) }
    var keyringFile: KeyringFile { KeyringFile(folder.file(OperatorPrototype.databaseKeyring)) }
    var fieldsFile: KeyringFile { KeyringFile(folder.file(OperatorPrototype.fieldsKeyring)) }

    func keyring() throws -> Keyring { try keyringFile.open { _ in try Rings.keyFile() } }

    func fields() throws -> Keyring { try fieldsFile.open { _ in try Rings.keyFile() } }

    func keys() throws -> FieldKeys { try fields().fieldKeys(named: "films") }

    /// The operator's connection: it opens the file whatever keyring the file remembers.
    func operatorKey() throws -> DatabaseKey { try keyring().databaseKey(ofBackup: path) }

    /// Runs SQL as the operator's own program does, without any Lockstep check.
    func tamper(_ body: (borrowing Connection) throws -> Void) throws {
        var options = ConnectionOptions()
        options.synchronous = .normal
        let connection = try Connection.open(path, key: operatorKey(), options: options)
        try connection.with(rights: .engine) {
            try connection.execute("PRAGMA foreign_keys = OFF")
            try connection.write { connection in try body(connection) }
        }
    }

    /// The same with a script.
    func tamper(_ script: String) throws {
        try tamper { connection in
            for statement in script.split(separator: ";\n") {
                try connection.execute(SQL(verbatim: String(statement)))
            }
        }
    }

    /// Whether these bytes occur in the decrypted file or its log.
    func holds(_ text: String) throws -> Bool {
        try DecryptedPages(path, operatorKey()).contain(Array(text.utf8))
    }

    /// The report of `lockstep verify --fields`.
    func verify(_ set: MigrationSet? = nil) throws -> VerificationReport {
        var verification = Verification(path, sets: [try set ?? OperatorPrototype.set()])
        verification.fieldKeys = [try keys()]
        verification.cacheBytes = 1024 * 1024
        return try verification.run(keyring: keyring())
    }

    /// Opens the database as the program does.
    func open(
        _ keys: FieldKeys? = nil, mayBeUnsealed: Bool = false, relied: [String] = []
    ) throws -> Connection {
        try Connection.open(path, key: keyring().databaseKey(for: path), options: options(keys, mayBeUnsealed, relied))
    }

    /// The same as a program that has the raw key, of which no keyring says which databases it opens.
    func openRaw(_ keys: FieldKeys? = nil, mayBeUnsealed: Bool = false) throws -> Connection {
        try Connection.open(path, key: operatorKey(), options: options(keys, mayBeUnsealed, []))
    }

    /// The same as a store.
    func openStore(
        _ keys: FieldKeys? = nil, mayBeUnsealed: Bool = false, relied: [String] = []
    ) throws -> Store {
        try Store.open(
            path, rawKey: keyring().databaseKey(for: path),
            options: StoreOptions(connection: options(keys, mayBeUnsealed, relied)))
    }

    private func options(
        _ keys: FieldKeys?, _ mayBeUnsealed: Bool, _ relied: [String]
    ) throws -> ConnectionOptions {
        var options = ConnectionOptions()
        options.synchronous = .normal
        options.fieldKeys = [try keys ?? self.keys()]
        if mayBeUnsealed { options.mayBeUnsealed = true }
        if !relied.isEmpty { options.sealed = relied }
        return options
    }
}

extension Connection {
    /// Drops the triggers that keep plaintext out of sealed columns.
    func dropGuards() throws {
        for name in try texts(
            "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name LIKE 'lockstep_sealed%'"
        ) {
            try execute("DROP TRIGGER main.\(name: name ?? "")")
        }
    }
}
