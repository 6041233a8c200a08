import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("A file cannot choose which database it is")
struct FileIdentityTests {
    private let bound: BoundScratch
    private var scratch: RotationScratch { bound.scratch }

    init() throws { bound = try BoundScratch() }

    /// The identity of another database under the same keyring, which the keyring does not record.
    private func sibling() throws -> (path: FilePath, identity: [UInt8]) {
        let path = scratch.folder.file("sibling.db")
        let connection = try Connection.create(path, key: scratch.keyring().activeDatabaseKey())
        return (path, try #require(try connection.databaseID()))
    }

    private func expectUnknown(_ path: FilePath? = nil) throws {
        let path = path ?? scratch.path
        Refusal.expect(.unknownDatabase) { try bound.open(path) }
        let key = try scratch.keyring().databaseKey(for: path)
        Refusal.expect(.unknownDatabase) { _ = try Store.open(path, rawKey: key) }
    }

    @Test(
        "A file with another identity, or none, does not open",
        arguments: [
            "UPDATE lockstep_keyring SET database = randomblob(16) WHERE database IS NOT NULL",
            "UPDATE lockstep_keyring SET database = x'000102030405060708090a0b0c0d0e0f' WHERE database IS NOT NULL",
            "DELETE FROM lockstep_keyring WHERE database IS NOT NULL",
        ])
    func changed(_ sql: String) throws {
        try bound.open()
        try bound.tamper(sql)
        try expectUnknown()
    }

    @Test(
        "A file with the identity of another database of its keyring that is not recorded does not open"
    )
    func identityOfSibling() throws {
        let identity = try sibling().identity
        try bound.tamper("UPDATE lockstep_keyring SET database = x'\(Hex.encode(identity))' WHERE database IS NOT NULL")
        try expectUnknown()
    }

    @Test("Another database under the key is refused until it is recorded")
    func recorded() throws {
        let path = try sibling().path
        try expectUnknown(path)
        // Neither remembering nor opening records it.
        do {
            let keyring = try scratch.keyring()
            let connection = try Connection.open(path, key: keyring.keyOfNew(path))
            try keyring.remember(in: connection)
        }
        try expectUnknown(path)
        var keyring = try scratch.keyring()
        try keyring.bind(Connection.open(path, key: keyring.keyOfNew(path)), in: scratch.file)
        _ = try Store.open(path, rawKey: scratch.keyring().databaseKey(for: path))
        try bound.open()
    }

    @Test("A store that makes a database works until it is closed, and records it meanwhile") func created() throws {
        let path = scratch.folder.file("made.db")
        var keyring = try scratch.keyring()
        let store = try Store.create(path, rawKey: keyring.activeDatabaseKey())
        try store.blocking.write { connection in try connection.execute("CREATE TABLE item (v)") }
        #expect(try store.blocking.read { try $0.value("SELECT count(*) FROM item", as: Int.self) } == 0)
        try store.blocking.withoutTransaction { try keyring.bind($0, in: scratch.file) }
        try store.blocking.close()
        _ = try Store.open(path, rawKey: scratch.keyring().databaseKey(for: path))
    }

    @Test("A keyring that records no database opens each that is under its key")
    func unrecorded() throws {
        let scratch = try RotationScratch()
        try scratch.fill(rows: 3)
        let other = scratch.folder.file("other.db")
        do { _ = try Connection.create(other, key: scratch.keyring().activeDatabaseKey()) }
        for path in [scratch.path, other] {
            _ = try Store.open(path, rawKey: scratch.keyring().databaseKey(for: path))
        }
    }

    @Test("Copies of a recorded database open: they have its identity")
    func copies() throws {
        let copy = scratch.folder.file("copy.db")
        do {
            let store = try Store.open(scratch.path, rawKey: scratch.keyring().activeDatabaseKey())
            try store.blocking.backup(to: copy)
            try store.blocking.close()
        }
        try bound.open(copy)
    }
}
