import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("A file says whether it is the database or a copy")
struct FileRoleTests {
    private let bound: BoundScratch
    private var scratch: RotationScratch { bound.scratch }
    private var copy: FilePath { scratch.folder.file("copy.db") }

    init() throws { bound = try BoundScratch() }

    private func role(_ path: FilePath? = nil) throws -> FileRole {
        try bound.open(path).fileRole()
    }

    private func backUp() throws {
        let store = try Store.open(scratch.path, rawKey: scratch.keyring().activeDatabaseKey())
        try store.blocking.backup(to: copy)
        try store.blocking.close()
    }

    /// The number in the file, as a program of before roles reads it.
    private func number(_ path: FilePath) throws -> Int? {
        let connection = try Connection.open(path, key: scratch.keyring().databaseKey(version: 1))
        return try connection.value(
            "SELECT epoch FROM lockstep_keyring WHERE ring = zeroblob(16)")
    }

    @Test("A backup is a copy, and so is its backup; the database and what is restored are not") func copies() throws {
        #expect(try role() == .original)
        try backUp()
        #expect(try role() == .original)
        #expect(try role(copy) == .copy)
        #expect(try number(copy) == 2)
        #expect(try number(scratch.path) == 1)
        let second = scratch.folder.file("second.db")
        let store = try Store.open(copy, rawKey: scratch.keyring().activeDatabaseKey())
        try store.blocking.backup(to: second)
        try store.blocking.close()
        #expect(try role(second) == .copy)
        let key = try scratch.keyring().activeDatabaseKey()
        _ = try Restore(scratch.path, from: second).run(key: key, backupKey: key)
        #expect(try role() == .original)
        #expect(try role(second) == .copy)
        #expect(try scratch.names.filter { $0.hasSuffix(".new") } == [])
    }

    @Test("An adopted database has an identity and its keyring's epoch from the start") func adopted() throws {
        let plain = scratch.folder.file("plain.db")
        do { try RawDatabase(plain, key: nil).run("CREATE TABLE item (id)") }
        let path = scratch.folder.file("adopted.db")
        try Adoption(of: plain, into: path).run(key: scratch.keyring().activeDatabaseKey())
        let connection = try Connection.open(path, key: scratch.keyring().databaseKey(version: 1))
        #expect(try connection.databaseID()?.count == 16)
        #expect(
            try connection.value("SELECT count(*) FROM lockstep_keyring WHERE ring <> zeroblob(16) AND epoch > 0") == 1)
    }

    @Test("A copy verifies, and is named in what was checked")
    func verified() throws {
        try backUp()
        let outcome = try bound.age(copy)
        #expect(outcome.findings == [])
        #expect(outcome.summary.hasPrefix("a copy of its database: "))
        #expect(try !bound.age().summary.contains("copy"))
    }

    @Test("A rotation keeps the role")
    func rotated() throws {
        try scratch.rotate()
        #expect(try role() == .original)
    }

    @Test("A salvaged database is a copy, with and without an identity of its own")
    func salvaged() throws {
        let key = try scratch.keyring().activeDatabaseKey()
        _ = try Salvage(scratch.path, into: copy).run(key: key, newKey: key)
        #expect(try role(copy) == .copy)
        #expect(try role() == .original)
        try bound.tamper("DELETE FROM lockstep_keyring WHERE database IS NOT NULL")
        let second = scratch.folder.file("second.db")
        _ = try Salvage(scratch.path, into: second).run(key: key, newKey: key)
        var keyring = try scratch.keyring()
        let files = keyring.document.files
        do {
            let connection = try Connection.open(second, key: keyring.keyOfNew(second))
            try keyring.bind(connection, in: scratch.file, asListed: true, as: .copy)
        }
        #expect(try role(second) == .copy)
        #expect(keyring.document.files == files)
    }

    @Test("What is made of a copy is a database: by provisioning, and by adopting an export") func made() throws {
        try backUp()
        let key = try DatabaseKey.ephemeral()
        let new = scratch.folder.file("new.db")
        try Provisioning(new, from: copy).run(key: key, templateKey: scratch.keyring().activeDatabaseKey())
        #expect(try Connection.open(new, key: key).fileRole() == .original)
        let plain = scratch.folder.file("plain.db")
        try PlaintextExport(to: plain).run(on: Store.open(copy, rawKey: scratch.keyring().activeDatabaseKey()))
        let adopted = scratch.folder.file("adopted.db")
        try Adoption(of: plain, into: adopted).run(key: key)
        #expect(try Connection.open(adopted, key: key).fileRole() == .original)
    }

    @Test("A copy gets no key of its own, which would lock its database out")
    func copyKeepsKey() throws {
        try backUp()
        var keyring = try scratch.keyring()
        let before = keyring.epoch
        Refusal.expect(.misuse) {
            try DatabaseKeyRotation(of: copy, keyring: scratch.file).run(&keyring)
        }
        #expect(try scratch.keyring().epoch == before)
        try bound.open()
        try bound.open(copy)
    }

    @Test("A database without an identity is copied as it is, also one of before identities")
    func unidentified() throws {
        let database = try DatabaseScratch()
        let key = try database.key()
        do { try database.create().execute("CREATE TABLE item (id INTEGER PRIMARY KEY)") }
        try Store.open(database.path, rawKey: key).blocking.backup(to: database.folder.file("copy.db"))
        let copied = try Connection.open(database.folder.file("copy.db"), key: key)
        #expect(try copied.fileRole() == .original)
        #expect(try copied.databaseID() == nil)
        try bound.tamper("DELETE FROM lockstep_keyring WHERE database IS NOT NULL")
        try bound.tamper("ALTER TABLE lockstep_keyring DROP COLUMN database")
        let raw = try scratch.keyring().databaseKey(version: 1)
        try Store.open(scratch.path, rawKey: raw).blocking.backup(to: copy)
        #expect(try Connection.open(copy, key: raw).fileRole() == .original)
    }

    @Test(
        "A role that nobody knows is refused, and such a file is not copied",
        arguments: [3, 0, -1, Int64.max])
    func unknown(_ number: Int64) throws {
        try bound.tamper("UPDATE lockstep_keyring SET epoch = \(number) WHERE database NOT NULL")
        Refusal.expect(.tampered) { try bound.open() }
        let raw = try scratch.keyring().databaseKey(version: 1)
        let store = try Store.open(scratch.path, rawKey: raw)
        Refusal.expect(.tampered) { _ = try store.blocking.backup(to: copy) }
        try store.blocking.close()
        #expect(try scratch.names.filter { $0.contains("copy") } == [])
    }

    @Test("What can be read of a file with a role that nobody knows is salvaged, and that is said")
    func salvagedUnknown() throws {
        try bound.tamper("UPDATE lockstep_keyring SET epoch = 3 WHERE database NOT NULL")
        let key = try scratch.keyring().databaseKey(version: 1)
        let report = try Salvage(scratch.path, into: copy).run(key: key, newKey: key)
        #expect(report.failures.map(\.object) == ["lockstep_keyring"])
    }
}
