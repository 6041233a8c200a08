import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// An operator, who has the database's key, also writes what the database has recorded of the fields keyring; and a writer of
/// the folder puts an older one there, in which a removed slot is back.
@Suite("What a database records of a fields keyring is authenticated")
struct EpochCodeTests {
    private let scratch: RememberedScratch
    /// The keyring before its last changes, and its epoch.
    private let older: (bytes: [UInt8], epoch: UInt64)

    init() throws {
        scratch = try RememberedScratch(rows: 5)
        try scratch.seal("title")
        older = (try Bytes.read(scratch.file.path), try scratch.keyring().epoch)
        for _ in 0..<3 { try change() }
        try scratch.remember()
    }

    private func change() throws {
        var keyring = try scratch.keyring()
        try scratch.file.save(&keyring)
    }

    private func putBack() throws { try Bytes.write(older.bytes, to: scratch.file.path) }

    @Test("The older keyring is refused, whatever epoch the row gets")
    func lowered() throws {
        try putBack()
        Refusal.expect(.keyringOutdated) { try scratch.open() }
        for epoch in older.epoch - 1...older.epoch + 1 {
            try scratch.tamper("UPDATE lockstep_keyring SET epoch = \(epoch) WHERE dataset IS NOT NULL")
            #expect(throws: LockstepError.self) { try scratch.open() }
        }
        try scratch.tamper("UPDATE lockstep_keyring SET epoch = \(older.epoch), mac = NULL WHERE dataset IS NOT NULL")
        Refusal.expect(.registryForged) { try scratch.open() }
        try scratch.tamper("DELETE FROM lockstep_keyring WHERE dataset IS NOT NULL")
        Refusal.expect(.databaseOutdated) { try scratch.open() }
    }

    @Test("A row of another database of the dataset is not this one's")
    func sibling() throws {
        try putBack()
        let mac = try scratch.openWithout().value(
            "SELECT mac FROM lockstep_keyring WHERE dataset IS NOT NULL", as: [UInt8].self)
        let keyring = try scratch.keyring()
        let other = try Connection.inMemory(RememberedScratch.options(keyring))
        try other.execute("CREATE TABLE film (id INTEGER PRIMARY KEY, title TEXT)")
        try other.protect("title", of: "film", keys: keyring.fieldKeys(named: "films"))
        try keyring.rememberFields(in: other)
        let row = try #require(try KeyringTable.read(other).fields.first)
        #expect(row.epoch == older.epoch && row.mac != nil && row.mac != mac)
        let connection = try scratch.openWithout()
        try connection.with(rights: .engine) { try KeyringTable.put([row], connection) }
        Refusal.expect(.registryForged) { try scratch.open() }
    }

    @Test("A change of the registry, of its key and of the file's identity keeps the rows genuine")
    func kept() throws {
        try scratch.seal("plot")
        try scratch.open()
        var keyring = try scratch.keyring()
        try keyring.addKey(.field, state: .pending)
        try keyring.setState(.field, version: 2, to: .active)
        try scratch.file.save(&keyring)
        try scratch.remember()
        do {
            let connection = try scratch.open()
            for column in ["title", "plot"] {
                try connection.reseal(column, of: "film", keys: scratch.keyring().fieldKeys(named: "films"))
            }
        }
        keyring = try scratch.keyring()
        try keyring.setState(.field, version: 1, to: .destroyed)
        try scratch.file.save(&keyring)
        try scratch.open()
        try scratch.remember()
        try scratch.open()
    }

    @Test("What a person accepts is recorded again")
    func accepted() throws {
        try putBack()
        try scratch.tamper("UPDATE lockstep_keyring SET epoch = \(older.epoch) WHERE dataset IS NOT NULL")
        Refusal.expect(.registryForged) { try scratch.open() }
        try scratch.accept()
        try scratch.open()
    }

    @Test("A forged row is not made genuine by a change of the registry")
    func forged() throws {
        try scratch.tamper("UPDATE lockstep_keyring SET epoch = \(older.epoch) WHERE dataset IS NOT NULL")
        let keys = try scratch.keyring().fieldKeys(named: "films")
        let connection = try scratch.openWithout()
        let registry = try #require(try RegistryTables.read(keys, connection))
        try connection.with(rights: .engine) {
            try connection.write { connection in try EpochCode.renew(registry, keys, connection) }
        }
        try putBack()
        Refusal.expect(.registryForged) { try scratch.open() }
    }

    @Test("The first registry of a file drops the rows of one that is gone")
    func givenUp() throws {
        let keys = try scratch.keyring().fieldKeys(named: "films")
        let connection = try scratch.openWithout()
        var registry = try #require(try RegistryTables.read(keys, connection))
        (registry.identity, registry.changes) = ([UInt8](repeating: 7, count: 16), 1)
        try connection.with(rights: .engine) {
            try connection.write { connection in try EpochCode.renew(registry, keys, connection) }
        }
        #expect(try KeyringTable.read(connection).fields == [])
    }
}
