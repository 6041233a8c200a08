import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Names of the files that SQLite keeps beside a database")
struct SideFileNameTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path.string).sorted()
    }

    @Test(
        "No new file gets such a name", arguments: ["films.db-wal", "a.b-shm", "films.db-journal"])
    func refused(name: String) throws {
        let path = folder.file(name)
        func refused(_ body: () throws -> Void) { Refusal.expect(.misuse, body) }
        refused { try KeyFile.create(path) }
        refused { try KeyringFile(path).create(Keyring.create(.database)) }
        refused { _ = try Connection.create(path, key: .ephemeral()) }
        refused { _ = try NewFile(path) }
        refused { _ = try NewFolder(path) }
        #expect(try names() == [])
        let database = folder.file("old.db")
        let key = try DatabaseKey.ephemeral()
        let store = try Store.create(database, rawKey: key)
        refused { try store.blocking.backup(to: path) }
        refused { try PlaintextExport(to: path).run(on: store) }
        try store.blocking.close()
        refused { _ = try Salvage(database, into: path).run(key: key, newKey: key) }
        refused { try Restore(path, from: database).run(key: key, backupKey: key) }
        refused { try Provisioning(path, from: database).run(key: key, templateKey: key) }
        #expect(try names() == ["old.db"])
    }

    @Test("A name without an extension is free, unless a file lies there that it would belong to")
    func extensions() throws {
        let path = folder.file("travel-journal")
        try SideFileName.require(no: path)
        try SideFileName.require(no: folder.file("films.db-wall"))
        try SideFileName.require(no: folder.file("-wal"))
        try folder.write("travel", "")
        Refusal.expect(.misuse) { try SideFileName.require(no: path) }
    }

    @Test("An older database that has such a name is still opened")
    func existing() throws {
        let (path, name) = (folder.file("x.db"), folder.file("x.db-journal"))
        let key = try DatabaseKey.ephemeral()
        try Store.create(path, rawKey: key).blocking.close()
        try FileManager.default.moveItem(atPath: path.string, toPath: name.string)
        try Store.open(name, rawKey: key).blocking.close()
    }
}
