import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Databases that their keyring lists before they exist")
struct KeyringCreationTests {
    let folder: TemporaryFolder
    let file: KeyringFile

    init() throws {
        folder = try TemporaryFolder()
        file = KeyringFile(folder.file("Keys").appending("films.database.keyring"))
        try KeyFile.create(folder.file("my.key"))
        var keyring = try Keyring.create(.database)
        try keyring.addSlot("key-file", KeyFile.read(folder.file("my.key")))
        try file.create(keyring)
    }

    private var path: FilePath { folder.file("films.db") }

    private func keyring() throws -> Keyring {
        try file.open { _ in try KeyFile.read(folder.file("my.key")) }
    }

    @Test("A created database is listed, opens with the keyring, and both record each other") func created() throws {
        var keyring = try keyring()
        let store = try Store.create(path, keyring: &keyring, in: file)
        try store.blocking.write { try $0.execute("CREATE TABLE film (id INTEGER PRIMARY KEY)") }
        try store.blocking.close()
        let record = try #require(try self.keyring().summary.databases.first)
        #expect(record.isMade && record.path == "../films.db")
        var again = try self.keyring()
        let opened = try Store.open(path, keyring: &again, in: file)
        #expect(try opened.blocking.read { try $0.databaseID() } == record.identity)
        #expect(try !file.awaitsDatabase(at: path))
    }

    @Test("A record is taken over if its database was never made, and only at its path") func takenOver() throws {
        var keyring = try keyring()
        _ = try file.list(newDatabase: path, &keyring)
        let begun = try #require(keyring.summary.databases.first)
        #expect(!begun.isMade)
        #expect(try file.awaitsDatabase(at: path))
        #expect(try !file.awaitsDatabase(at: folder.file("other.db")))
        var later = try self.keyring()
        try Store.create(folder.file("other.db"), keyring: &later, in: file).blocking.close()
        try Store.create(path, keyring: &later, in: file).blocking.close()
        #expect(later.summary.databases.count == 2)
        let made = try Connection.open(path, key: later.databaseKey(for: path)).databaseID()
        #expect(made == begun.identity)

        // Somebody has moved or deleted it: that is another database.
        try FileManager.default.removeItem(atPath: path.string)
        #expect(try !file.awaitsDatabase(at: path))
        try Store.create(path, keyring: &later, in: file).blocking.close()
        let new = try Connection.open(path, key: later.databaseKey(for: path)).databaseID()
        #expect(new != begun.identity)
    }

    @Test("The next command that writes notes that a database was made, if a kill prevented that")
    func notedLater() throws {
        var keyring = try keyring()
        let key = try file.list(newDatabase: path, &keyring)
        try Store.create(path, rawKey: key).blocking.close()
        #expect(try !file.awaitsDatabase(at: path))
        #expect(keyring.summary.databases.map(\.isMade) == [false])
        try keyring.settle(Connection.open(path, key: keyring.databaseKey(for: path)), in: file)
        #expect(try self.keyring().summary.databases.map(\.isMade) == [true])
    }

    @Test("A path that is taken is refused before the keyring is changed")
    func taken() throws {
        try folder.write("films.db", "something of somebody's")
        var keyring = try keyring()
        let before = keyring.epoch
        Refusal.expect(.alreadyExists) {
            _ = try Store.create(path, keyring: &keyring, in: file)
        }
        #expect(keyring.epoch == before)
        #expect(try self.keyring().summary.databases.isEmpty)
    }
}
