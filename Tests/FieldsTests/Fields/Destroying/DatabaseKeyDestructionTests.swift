import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Destroying a database key asks for proof")
struct DatabaseKeyDestructionTests {
    private let bound: BoundScratch
    private var scratch: RotationScratch { bound.scratch }

    init() throws { bound = try BoundScratch() }

    private func destroy(_ version: UInt32 = 1, of databases: [FilePath] = [], lost: Set<[UInt8]> = []) throws {
        var destruction = KeyDestruction(of: .database, version: version, keyring: scratch.file)
        (destruction.databases, destruction.lost) = (databases, lost)
        var keyring = try scratch.keyring()
        try destruction.run(&keyring, databaseKey: { _ in throw Stop() })
    }

    private func identity(of path: FilePath) throws -> [UInt8] {
        let key = try scratch.keyring().databaseKey(ofBackup: path)
        return try #require(try Connection.open(path, key: key).databaseID())
    }

    /// A second database of the same keyring, under its active key.
    private func second() throws -> FilePath {
        let path = scratch.folder.file("second.db")
        var keyring = try scratch.keyring()
        let connection = try Connection.create(path, key: keyring.activeDatabaseKey())
        try keyring.bind(connection, in: scratch.file)
        return path
    }

    /// What stands in the way according to an error's message.
    private func refusal(_ body: () throws -> Void) throws -> String {
        let before = try Bytes.read(scratch.file.path)
        let error = try #require(throws: LockstepError.self) { try body() }
        #expect(error.code == .keyInUse, "\(error)")
        #expect(try Bytes.read(scratch.file.path) == before, "the keyring was changed")
        return error.message
    }

    @Test("After every recorded database has moved to another key, the old key is destroyed") func moved() throws {
        let content = try scratch.content()
        try scratch.rotate()
        try destroy()
        #expect(try scratch.states == [.destroyed, .active])
        #expect(try scratch.content() == content)
    }

    @Test("Another database that the keyring records under the key stands in the way, named or not")
    func another() throws {
        let other = try second()
        let id = try identity(of: other)
        try scratch.rotate()
        for databases in [[], [scratch.path], [scratch.path, other]] {
            let message = try refusal { try destroy(of: databases) }
            #expect(message.contains("second.db is encrypted with it"))
            #expect(!message.contains(Hex.encode(id)))
        }
        DatabaseScratch.remove(other)
        #expect(try refusal { try destroy() }.contains(Hex.encode(id)))
    }

    @Test(
        "A file under the key stands in the way although the keyring records its database under another"
    )
    func copy() throws {
        let copy = scratch.folder.file("copy.db")
        do {
            let store = try Store.open(scratch.path, rawKey: scratch.keyring().activeDatabaseKey())
            try store.blocking.backup(to: copy)
            try store.blocking.close()
        }
        try scratch.rotate()
        #expect(try refusal { try destroy(of: [scratch.path, copy]) }.contains("\(copy)"))
        try destroy(of: [scratch.path])
    }

    @Test("A record that names an older key than the file's is corrected")
    func corrected() throws {
        try scratch.rotate()
        let id = try identity(of: scratch.path)
        var keyring = try scratch.keyring()
        try keyring.relist(id, under: FileKey(entry: keyring.entry(of: 1)))
        try scratch.file.save(&keyring)
        try destroy()
        let databases = try scratch.keyring().summary.databases
        #expect(databases.map(\.identity) == [id])
        #expect(databases.map(\.keyVersion) == [2])
    }

    @Test("A lost database is given up by its identity, by which its backups under other keys are found")
    func lost() throws {
        let other = try second()
        let id = try identity(of: other)
        try scratch.rotate()
        Refusal.expect(.misuse) { try destroy(of: [scratch.path], lost: [id]) }
        DatabaseScratch.remove(other)
        try destroy(of: [scratch.path], lost: [id])
        #expect(try scratch.states == [.destroyed, .active])
        let keyring = try scratch.keyring()
        #expect(try Set(keyring.summary.databases.map(\.identity)) == [identity(of: scratch.path), id])
        #expect(keyring.record(of: id)?.path == nil)
    }

    @Test("Only a recorded database that was not named can be given up")
    func notLost() throws {
        let other = try second()
        let id = try identity(of: other)
        try scratch.rotate()
        let before = try Bytes.read(scratch.file.path)
        Refusal.expect(.notFound) { try destroy(lost: [[UInt8](repeating: 1, count: 16)]) }
        // They are there.
        Refusal.expect(.misuse) { try destroy(lost: [identity(of: scratch.path)]) }
        Refusal.expect(.misuse) { try destroy(lost: [id]) }
        Refusal.expect(.misuse) { try destroy(of: [other], lost: [id]) }
        #expect(try Bytes.read(scratch.file.path) == before)
    }

    @Test(
        "A key in use, an unknown one and a destroyed one are refused before anything is looked at")
    func states() throws {
        let missing = scratch.folder.file("missing.db")
        Refusal.expect(.keyringConflict) { try destroy(of: [missing]) }
        Refusal.expect(.keyUnavailable) { try destroy(7, of: [missing]) }
        try scratch.rotate()
        try destroy()
        Refusal.expect(.keyringConflict) { try destroy(of: [missing]) }
    }

    @Test("A keyring that was changed after it was opened is read again, and its changes stay")
    func changedMeanwhile() throws {
        try scratch.rotate()
        var keyring = try scratch.keyring()
        let other = try second()
        let destruction = KeyDestruction(of: .database, version: 1, keyring: scratch.file)
        try destruction.run(&keyring, databaseKey: { _ in throw Stop() })
        #expect(try scratch.states == [.destroyed, .active])
        #expect(try scratch.keyring().summary.databases.count == 2, "\(other)")
    }
}
