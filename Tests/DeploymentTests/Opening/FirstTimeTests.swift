import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Databases whose dataset has one fields keyring, which remembers the first of them.
@Suite("A database that is new to a fields keyring")
struct FirstTimeTests {
    private let scratch: OpeningScratch
    private let other: FilePath
    private let dataset: Dataset

    init() throws {
        scratch = try OpeningScratch()
        try scratch.fill(2)
        other = scratch.folder.file("other.db")
        dataset = Dataset("films", keyring: try .fields(of: "films", in: scratch.keyring.folder))
    }

    private func open(
        sealed: Bool = true, firstTime: Bool = false, mode: OpeningMode = .openOrCreate
    ) throws -> Store {
        guard sealed else { return try Store.openBlocking(other, key: scratch.key, migrations: scratch.set(1)) }
        return try Store.openBlocking(
            other, key: scratch.key, migrations: scratch.set(2), sealed: dataset, firstTime: firstTime, mode: mode)
    }

    private func isRemembered() throws -> Bool? {
        let id = try Connection.open(
            other, key: KeyringFile.database(beside: other).open(scratch.key).databaseKey(for: other)
        )
        .databaseID()
        return try dataset.keyring?.open(scratch.key).sealedMemory.record(of: id)?.isSealed
    }

    @Test("Its own keyring lists it, which says nothing: it opens once somebody says that it is new") func listed()
        throws
    {
        try open(sealed: false).blocking.close()
        let keyring = try #require(dataset.keyring).path
        let before = try Bytes.read(keyring)
        for mode in [OpeningMode.openOrCreate, .existing] {
            let error = try #require(throws: LockstepError.self) { try open(mode: mode).blocking.close() }
            #expect(error.code == .registryMissing)
            #expect(error.hint?.contains("`firstTime`") == true)
        }
        #expect(try Bytes.read(keyring) == before)
        #expect(try isRemembered() == nil)
        try open(firstTime: true).blocking.close()
        #expect(try isRemembered() == true)
        try open().blocking.close()
    }

    @Test("The process that makes it need not say so, nor does one that goes on after a kill") func made() throws {
        try open().blocking.close()
        #expect(try isRemembered() == true)
    }

    @Test("It is remembered before it is made") func killed() throws {
        let ids = { try dataset.keyring?.open(scratch.key).sealedMemory.records.map(\.database) ?? [] }
        let before = try ids()
        // The migrations do not run.
        Refusal.expect(.misuse) {
            _ = try Store.openBlocking(
                other, key: scratch.key, migrations: scratch.set(2), sealed: dataset, Dataset("films"))
        }
        #expect(try ids() == before)
        try Store.openBlocking(other, key: scratch.key, sealed: dataset).blocking.close()
        #expect(try ids().count == before.count + 1)
        #expect(try isRemembered() == false)
        try open().blocking.close()
        #expect(try isRemembered() == true)
    }

    @Test("A fields keyring that remembers nothing takes any database for new") func unused() throws {
        try open(sealed: false).blocking.close()
        try Store.openBlocking(other, key: scratch.key, migrations: scratch.set(2), sealed: Dataset("films"))
            .blocking.close()
    }

    @Test("Anyone who lists a file under another identity does not make it new", arguments: [false, true])
    func operated(isMigrating: Bool) throws {
        do {
            var keyring = try scratch.keyring.open(scratch.key)
            let connection = try Connection.open(
                scratch.path, key: keyring.databaseKey(for: scratch.path).withoutOrigin())
            try connection.with(rights: .engine) {
                for table in RegistryRows.names { try connection.execute("DELETE FROM main.\(name: table)") }
                try connection.execute("UPDATE lockstep_keyring SET database = randomblob(16) WHERE database NOT NULL")
            }
            try keyring.bind(connection, in: scratch.keyring)
        }
        Refusal.expect(.registryMissing) { _ = try scratch.open(2) }
        var options = ConnectionOptions()
        options.fieldKeys = [try dataset.keyring!.open(scratch.key).fieldKeys(named: "films")]
        if isMigrating { options.mayBeUnsealed = true }
        let keyring = try scratch.keyring.open(scratch.key)
        Refusal.expect(.registryMissing) {
            _ = try Connection.open(scratch.path, key: keyring.databaseKey(for: scratch.path), options: options)
        }
    }
}
