import Lockstep
import LockstepModels
import SystemPackage
import TestSupport

/// A folder with the key of one model's database, which is created when it is opened.
final class ModelScratch {
    let folder: TemporaryFolder
    let keyring: Keyring
    var options = StoreOptions()
    private var number = 0

    init() throws {
        folder = try TemporaryFolder()
        var keyring = try Keyring.create(.database)
        try KeyFile.create(folder.file("k"))
        try keyring.addSlot("k", KeyFile.read(folder.file("k")))
        self.keyring = keyring
    }

    /// The path of the database.
    var path: FilePath { folder.file("\(number).db") }

    func open<Model: ModelStore>(_ type: Model.Type = Model.self) throws -> Model {
        try Model.open(path, key: keyring.activeDatabaseKey(), options: options)
    }

    /// Continues with a copy of the files of a database in use, including its log, as after a killed process: the
    /// store is not closed.
    func moveToCopy() throws {
        number += 1
        _ = try LiveCopy.make(of: folder.file("\(number - 1).db"), in: folder, "\(number).db")
    }

    /// Adopts a plaintext database that sqlite3 creates from SQL, like one from a program of version 1.
    func adopt<Model: ModelStore>(_ sql: String, _ type: Model.Type = Model.self) throws -> Model {
        let original = try PlainDatabase.make("original-\(number).sqlite", in: folder, sql)
        return try Model.adopt(plaintext: original, into: path, key: keyring.activeDatabaseKey(), options: options)
    }

    /// Verifies the whole database.
    func verify(_ set: String, fields: [FieldKeys] = []) throws -> VerificationReport {
        var verification = Verification(path, sets: [try ModelMigrations.set(set)])
        verification.fieldKeys = fields
        return try verification.run(keyring: keyring)
    }
}
