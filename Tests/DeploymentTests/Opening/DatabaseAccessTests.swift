import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Access to a database")
struct DatabaseAccessTests {
    typealias Means = AccessScratch.Means

    private let scratch: AccessScratch
    private var path: FilePath { scratch.path }

    init() throws { scratch = try AccessScratch() }

    @Test("A missing keyring is named, with what to do; nothing is made")
    func missing() throws {
        let before = try scratch.names.sorted()
        let other = scratch.folder.file("other.keyring")
        let error = Refusal.error(.keyringMissing) {
            _ = try DatabaseAccess(to: path, key: scratch.key, keyring: KeyringFile(other))
        }
        #expect(error?.context == .file(other))
        #expect(error?.message.contains("\(other)") == true)
        #expect(error?.hint?.contains("`keyring:`") == true)
        let none = scratch.folder.file("none.db")
        let beside = Refusal.error(.keyringMissing) {
            _ = try DatabaseAccess(to: none, key: scratch.key)
        }
        #expect(beside?.context == .file(KeyringFile.database(beside: none).path))
        #expect(try scratch.names.sorted() == before)
    }

    @Test("Another key, and a source of another kind, open nothing")
    func wrongKey() throws {
        let other = scratch.folder.file("other.key")
        try KeyFile.create(other)
        Refusal.expect(.slotNotOpened) {
            _ = try DatabaseAccess(to: path, key: .keyFile(other))
        }
        Refusal.expect(.noUsableSlot) {
            _ = try DatabaseAccess(to: path, key: .passphrase("correct horse battery staple"))
        }
        Refusal.expect(.wrongKey) {
            let key = try DatabaseScratch().key(9)
            _ = try Verification(path).run(DatabaseAccess(rawKey: key))
        }
    }

    @Test("A keyring of another purpose is refused")
    func purpose() throws {
        var fields = try Keyring.create(.fields)
        try fields.addSlot("key-file", KeyFile.read(scratch.keyFile))
        let file = try KeyringFile.fields(of: "films", beside: path)
        try file.create(fields)
        Refusal.expect(.keyringMismatch) {
            _ = try DatabaseAccess(to: path, key: scratch.key, keyring: file)
        }
        Refusal.expect(.keyringMismatch) {
            _ = try DatabaseAccess(keyring: Keyring.create(.fields))
        }
    }

    @Test("A keyring that is in no file opens its database, and no job changes it")
    func memory() throws {
        let keyring = try Keyring.create(.database)
        let other = scratch.folder.file("other.db")
        do {
            let connection = try Connection.create(other, key: keyring.activeDatabaseKey())
            try connection.execute("CREATE TABLE item (id INTEGER PRIMARY KEY)")
        }
        var access = try DatabaseAccess(keyring: keyring)
        #expect(try Verification(other).run(access).isClean)
        let error = Refusal.error(.misuse) {
            try DatabaseKeyRotation(of: other).run(&access)
        }
        #expect(error?.hint?.contains("`KeyringFile`") == true)
        #expect(try scratch.items(other, access) == 0)
    }

    @Test("A database is opened after an interrupted rotation, and the next one ends it") func interrupted() throws {
        try scratch.interruptRotation()
        for means in [Means.source, .keyring] {
            let access = try scratch.access(means)
            #expect(try scratch.items(path, access) == 12)
            #expect(try PageAudit(path).run(access).isClean)
            #expect(try Rehearsal(of: path, sets: [DeploymentScratch.good()]).run(access).steps.count == 2)
        }
        var access = try scratch.access(.source)
        let report = try DatabaseKeyRotation(of: path).run(&access)
        #expect(report.newVersion == 2 && report.copy == nil)
        #expect(try Verification(path).run(access).isClean)
    }

    @Test("An access goes on after others have changed the keyring")
    func changed() throws {
        var first = try scratch.access(.source)
        var second = try scratch.access(.source)
        #expect(try DatabaseKeyRotation(of: path).run(&first).newVersion == 2)
        #expect(try DatabaseKeyRotation(of: path).run(&second).newVersion == 3)
        #expect(try DatabaseKeyRotation(of: path).run(&first).newVersion == 4)
        #expect(try scratch.items(path, first) == 12)
    }

    @Test("After another ring key a source opens the keyring again; an opened keyring cannot") func rung() throws {
        var source = try scratch.access(.source)
        var opened = try scratch.access(.keyring)
        var keyring = try scratch.keyring()
        try keyring.rotateRing()
        try keyring.addSlot("key-file", KeyFile.read(scratch.keyFile))
        try scratch.file.save(&keyring)
        #expect(try DatabaseKeyRotation(of: path).run(&source).newVersion == 2)
        Refusal.expect(.keyringChanged) { try DatabaseKeyRotation(of: path).run(&opened) }
    }

    @Test("A key of a dataset is destroyed with its own keyring")
    func fields() throws {
        var destruction = KeyDestruction(of: .field, version: 1)
        destruction.databases = [path]
        var access = try scratch.access(.source)
        let error = Refusal.error(.misuse) { try destruction.run(&access) }
        #expect(error?.hint?.contains("`run(_:access:)`") == true)
        // No database is sealed by the keyring that follows.
        destruction.databases = []
        let scratch = scratch
        var unsaved = try Keyring.create(.fields)
        Refusal.expect(.misuse) {
            try destruction.run(&unsaved, access: { _ in try scratch.access(.source) })
        }
        try unsaved.addSlot("key-file", KeyFile.read(scratch.keyFile))
        let file = try KeyringFile.fields(of: "films", beside: path)
        try file.create(unsaved)
        var keyring = try file.open { _ in try KeyFile.read(scratch.keyFile) }
        Refusal.expect(.keyringConflict) {
            try destruction.run(&keyring, access: { _ in try scratch.access(.source) })
        }
        let new = try keyring.createKey(.field)
        try keyring.activateKey(.field, version: new)
        try file.save(&keyring)
        try destruction.run(&keyring, access: { _ in try scratch.access(.source) })
        let states = keyring.summary.keys.filter { $0.kind == .field }.map(\.state)
        #expect(states == [.destroyed, .active])
    }

    @Test("An access crosses to the thread of a job and comes back")
    func threads() async throws {
        var access = try scratch.access(.source)
        let path = path
        let report = try await JobThread.run { try DatabaseKeyRotation(of: path).run(&access) }
        #expect(report.newVersion == 2)
        let clean = try await JobThread.run { try Verification(path).run(access).isClean }
        #expect(clean)
        #expect(try scratch.items(path, access) == 12)
    }
}
