import Foundation
import Lockstep
import SystemPackage
import TestSupport

/// A folder like those that the samples assume: `my.key` opens its keyrings.
struct SampleFolder {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try KeyFile.create(folder.file("my.key"))
    }

    /// Makes a keyring beside the database `<name>.db`.
    @discardableResult
    func keyring(_ name: String) throws -> Keyring {
        try make(.database, .database(beside: folder.file("\(name).db")))
    }

    /// Makes the fields keyring of a dataset beside the database `<name>.db`.
    func fieldsKeyring(_ dataset: String, beside name: String) throws -> Keyring {
        try make(.fields, .fields(of: dataset, beside: folder.file("\(name).db")))
    }

    private func make(_ purpose: KeyringPurpose, _ file: KeyringFile) throws -> Keyring {
        var keyring = try Keyring.create(purpose)
        try keyring.addSlot("key-file", KeyFile.read(folder.file("my.key")))
        try file.create(keyring)
        return keyring
    }

    /// Makes a database, `<name>.db`, with its keyring, from SQL or by migrations.
    @discardableResult
    func database(
        _ name: String, _ sql: String = "", sets: [MigrationSet] = [], fieldKeys: [FieldKeys] = []
    ) throws -> Keyring {
        let keyring = try self.keyring(name)
        var options = ConnectionOptions()
        options.fieldKeys = fieldKeys
        let connection = try Connection.create(
            folder.file("\(name).db"), key: keyring.activeDatabaseKey(), options: options)
        try connection.run(script: sql)
        for set in sets { _ = try Migrator(set).run(on: connection) }
        return keyring
    }

    /// Writes files into a folder, which it makes.
    func write(_ path: String, _ files: KeyValuePairs<String, String>) throws {
        try FileManager.default.createDirectory(atPath: folder.file(path).string, withIntermediateDirectories: true)
        for (name, text) in files { try folder.write("\(path)/\(name)", text) }
    }
}
