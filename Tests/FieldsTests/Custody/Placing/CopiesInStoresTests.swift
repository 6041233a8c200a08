import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("A program that opens a copy")
struct CopiesInStoresTests {
    private let bound: BoundScratch
    private var scratch: RotationScratch { bound.scratch }
    private var copy: FilePath { scratch.folder.file("copy.db") }
    private let count: SQL = "SELECT count(*) FROM item"

    init() throws {
        bound = try BoundScratch()
        let store = try open(scratch.path)
        try store.blocking.backup(to: copy)
        try store.blocking.close()
    }

    private func open(_ path: FilePath, _ copies: StoreOptions.Copies = .readOnly) throws -> Store {
        var options = StoreOptions()
        options.copies = copies
        var keyring = try scratch.keyring()
        return try Store.open(path, keyring: &keyring, in: scratch.file, options: options)
    }

    private func requireReadOnly(_ store: Store) throws {
        #expect(store.isCopy)
        #expect(try store.readHere { try $0.value(count, as: Int.self) } == 12)
        Refusal.expect(.isCopy) {
            try store.writeHere { try $0.execute("DELETE FROM item") }
        }
        Refusal.expect(.isCopy) {
            try store.aloneHere { try $0.execute("DELETE FROM item") }
        }
        #expect(try store.readHere { try $0.value(count, as: Int.self) } == 12)
        try store.blocking.close()
    }

    @Test("reads it, and a write says what it is; the file does not change")
    func readOnly() throws {
        let before = try Bytes.read(copy)
        try requireReadOnly(open(copy))
        let key = try scratch.keyring().databaseKey(for: copy)
        try requireReadOnly(Store.open(copy, rawKey: key))
        #expect(try Bytes.read(copy) == before)
    }

    @Test("can have it forked first, and then changes it; the database stays as it is") func forked() throws {
        let store = try open(copy, .fork)
        #expect(!store.isCopy)
        try store.writeHere { try $0.execute("DELETE FROM item") }
        try store.blocking.close()
        #expect(try scratch.keyring().document.files.count == 2)
        let again = try open(copy, .fork)
        #expect(try again.readHere { try $0.value(count, as: Int.self) } == 0)
        try again.blocking.close()
        let database = try open(scratch.path, .fork)
        #expect(!database.isCopy)
        #expect(try database.readHere { try $0.value(count, as: Int.self) } == 12)
        try database.blocking.close()
        #expect(try scratch.keyring().document.files.count == 2)
    }

    @Test(
        "that can be all that there is of its database, which the keyring has seen nowhere, writes")
    func placeless() throws {
        var keyring = try scratch.keyring()
        try scratch.file.update(&keyring) { keyring in keyring.document.files[0].path = nil }
        let store = try open(copy)
        #expect(!store.isCopy)
        try store.writeHere { try $0.execute("DELETE FROM item") }
        try store.blocking.close()
    }

    @Test("and without the keyring, by a raw key, as any other file")
    func raw() throws {
        let key = try scratch.keyring().databaseKey(ofBackup: copy).withoutOrigin()
        let store = try Store.open(copy, rawKey: key)
        #expect(!store.isCopy)
        try store.writeHere { try $0.execute("DELETE FROM item") }
        try store.blocking.close()
    }

    @Test("in the place of its database goes on with it: somebody restored it by hand") func inPlace() throws {
        DatabaseScratch.remove(scratch.path)
        try Bytes.write(Bytes.read(copy), to: scratch.path)
        let store = try open(scratch.path)
        #expect(!store.isCopy)
        try store.writeHere { try $0.execute("DELETE FROM item") }
        try store.blocking.close()
    }
}
