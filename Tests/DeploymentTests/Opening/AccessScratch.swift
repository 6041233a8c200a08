import Foundation
import SystemPackage
import TestSupport

@testable import EngineTestSupport
@testable import Lockstep

/// A folder with a database of twelve items, at the first version of `DeploymentScratch`, its keyring and its key file.
struct AccessScratch {
    /// What an access is made of.
    enum Means: CaseIterable {
        case source, keyring, rawKey

        var hasKeyring: Bool { self != .rawKey }
    }

    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try KeyFile.create(keyFile)
        var keyring = try Keyring.create(.database)
        try keyring.addSlot("key-file", KeyFile.read(keyFile))
        try file.create(keyring)
        var opened = try self.keyring()
        let store = try Store.create(path, keyring: &opened, in: file)
        try store.blocking.withoutTransaction { connection in
            _ = try Migrator(Scratch.set(DeploymentScratch.first)).run(on: connection)
            for number in 1...12 {
                try connection.execute("INSERT INTO item (body) VALUES (?)", "item \(number)")
            }
        }
        try store.blocking.close()
    }

    var path: FilePath { folder.file("data.db") }
    var keyFile: FilePath { folder.file("my.key") }
    var file: KeyringFile { .database(beside: path) }
    var key: KeySource { .keyFile(keyFile) }

    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path.string) }
    }

    func keyring() throws -> Keyring { try file.open { _ in try KeyFile.read(keyFile) } }

    func access(_ means: Means) throws -> DatabaseAccess {
        switch means {
        case .source: try DatabaseAccess(to: path, key: key)
        case .keyring: try DatabaseAccess(keyring: keyring())
        case .rawKey:
            try DatabaseAccess(rawKey: keyring().databaseKey(for: path).withoutOrigin())
        }
    }

    /// The number of items in the database at a path.
    func items(_ path: FilePath, _ access: borrowing DatabaseAccess) throws -> Int? {
        let connection = try Connection.open(path, key: access.databaseKey(for: path))
        return try connection.value("SELECT count(*) FROM item")
    }

    func backup(to copy: FilePath, key: borrowing DatabaseKey? = nil) throws {
        let store = try Store.open(path, rawKey: keyring().databaseKey(for: path))
        switch key {
        case .some(let key): try store.blocking.backup(to: copy, key: key)
        case .none: try store.blocking.backup(to: copy)
        }
        try store.blocking.close()
    }

    func removeItems() throws {
        let connection = try Connection.open(path, key: keyring().databaseKey(for: path))
        try connection.execute("DELETE FROM item")
    }

    /// Rotates the key, and puts back the keyring that a program has which is killed before the keyring has followed.
    func interruptRotation() throws {
        var access = try access(.source)
        var pending: [UInt8] = []
        try DatabaseKeyRotation(of: path).run(&access) { _ in pending = try Bytes.read(file.path) }
        try Bytes.write(pending, to: file.path)
    }
}
