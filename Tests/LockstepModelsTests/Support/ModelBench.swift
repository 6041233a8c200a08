import Lockstep
import LockstepModels
import SystemPackage
import TestSupport

/// A folder with one encrypted database, and all keys that a model store might need.
struct ModelBench: ~Copyable {
    let folder: TemporaryFolder
    let path: FilePath
    let keyring: Keyring
    var options = StoreOptions()

    /// - Parameter datasets: The datasets whose keys the connections get.
    init(_ datasets: String...) throws {
        let keys = try datasets.map { try Keyring.create(.fields).fieldKeys(named: $0) }
        let folder = try TemporaryFolder()
        let keyring = try Keyring.create(.database)
        self.folder = folder
        self.keyring = keyring
        path = folder.file("model.db")
        options.connection.fieldKeys = keys
    }

    /// The store on the newest version.
    func open<Model: ModelStore>(_ type: Model.Type = Model.self, at other: FilePath? = nil) throws
        -> Model
    {
        try Model.open(other ?? path, key: keyring.activeDatabaseKey(), options: options)
    }

    /// The store on the given version.
    func open<Model: ModelStore>(_ type: Model.Type = Model.self, version: UInt64) throws -> Model {
        let store = try Store.create(path, rawKey: keyring.activeDatabaseKey(), options: options)
        try store.blocking.migrate(ModelMigrations.set(Model.setName), to: .version(MigrationVersion(version)))
        return Model(store)
    }

    /// Adopts a plaintext database, instead of a new one, whose schema is version 1.
    func adopt<Model: ModelStore>(_ plaintext: FilePath, as type: Model.Type) throws {
        try Adoption(of: plaintext, into: path).run(key: keyring.activeDatabaseKey())
        let connection = try Connection.open(path, key: keyring.activeDatabaseKey())
        try Baseline(ModelMigrations.set(Model.setName), at: MigrationVersion(1)).record(on: connection)
    }

    /// All of `lockstep verify`.
    func verify() throws -> VerificationReport {
        var verification = Verification(path, sets: try ModelMigrations.all())
        verification.fieldKeys = options.connection.fieldKeys
        return try verification.run(keyring: keyring)
    }
}

/// The keys of the datasets that the models' migrations seal.
enum ModelKeys {
    static let datasets = ["contacts", "movies"]

    /// Options with new keys for all of them.
    static func options() throws -> ConnectionOptions {
        var options = ConnectionOptions()
        options.fieldKeys = try datasets.map { try Keyring.create(.fields).fieldKeys(named: $0) }
        return options
    }
}
