import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Destroying a dataset's key asks for proof")
struct FieldKeyDestructionTests {
    private let scratch: RotationScratch
    private let file: KeyringFile
    private let keyFile: FilePath
    /// The dataset's keys from before key 2 was made.
    private let old: FieldKeys

    /// A database with 40 titles under field key 1, of which the dataset's keyring knows; field and index key 2 are
    /// active.
    init() throws {
        scratch = try RotationScratch()
        file = KeyringFile(scratch.folder.file("films.fields.keyring"))
        keyFile = scratch.folder.file("fields.key")
        try KeyFile.create(keyFile)
        var keyring = try Keyring.create(.fields)
        try keyring.addSlot("key-file", KeyFile.read(keyFile))
        try file.create(keyring)
        do {
            let connection = try Connection.create(
                scratch.path, key: scratch.keyring().activeDatabaseKey(), options: Self.options(keyring))
            try connection.run(
                script: """
                    CREATE TABLE film (id INTEGER PRIMARY KEY, title TEXT, trailer BLOB);
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
                    INSERT INTO film SELECT i, 'title ' || i, NULL FROM n;
                    """)
            let request = try #require(SealedIndex.Request("exact"))
            try connection.protect("title", of: "film", keys: keyring.fieldKeys(), indexes: [request])
            try file.remember(&keyring, sealedIn: connection)
        }
        old = try keyring.fieldKeys()
        for kind in [KeyKind.field, .index] {
            let version = try keyring.createKey(kind)
            try keyring.activateKey(kind, version: version)
        }
        try file.save(&keyring)
    }

    private static func options(_ keyring: borrowing Keyring) throws -> ConnectionOptions {
        var options = ConnectionOptions()
        options.fieldKeys = [try keyring.fieldKeys()]
        options.mayBeUnsealed = true
        return options
    }

    private func keyring() throws -> Keyring { try file.open { _ in try KeyFile.read(keyFile) } }

    private func open() throws -> Connection {
        try Connection.open(scratch.path, key: scratch.keyring().activeDatabaseKey(), options: Self.options(keyring()))
    }

    /// As a program does that opened the keyring before key 2 was made.
    private func openBefore() throws -> Connection {
        var options = ConnectionOptions()
        options.fieldKeys = [old]
        return try Connection.open(scratch.path, key: scratch.keyring().activeDatabaseKey(), options: options)
    }

    private func destroy(
        _ kind: KeyKind = .field, named: Bool = true, lost: Set<[UInt8]> = []
    ) throws {
        var destruction = KeyDestruction(of: kind, version: 1, keyring: file)
        destruction.databases = named ? [scratch.path] : []
        destruction.lost = lost
        var keyring = try keyring()
        try destruction.run(&keyring) { _ in try scratch.keyring().activeDatabaseKey() }
    }

    private func refusal(_ body: () throws -> Void) throws -> String {
        let before = try Bytes.read(file.path)
        let error = try #require(throws: LockstepError.self) { try body() }
        #expect(error.code == .keyInUse, "\(error)")
        #expect(try Bytes.read(file.path) == before, "the keyring was changed")
        return error.message
    }

    private func state(_ kind: KeyKind = .field) throws -> KeyState? {
        try keyring().summary.keys.first { $0.kind == kind && $0.version == 1 }?.state
    }

    private func readable() throws -> Int? {
        try open().value("SELECT count(*) FROM film_open WHERE title = 'title ' || id", as: Int.self)
    }

    @Test("Cells under the key stand in the way; resealed, they do not")
    func cells() throws {
        #expect(try refusal { try destroy() }.contains("film.title"))
        do { try open().reseal("title", of: "film", keys: keyring().fieldKeys()) }
        try destroy()
        #expect(try state() == .destroyed)
        #expect(try readable() == 40)
    }

    @Test("One cell that a reseal has not reached stands in the way", arguments: [1, 7, 39])
    func halfway(_ batches: Int) throws {
        do {
            let connection = try open()
            let keys = try keyring().fieldKeys()
            var done = 0
            #expect(throws: Stop.self) {
                try connection.reseal("title", of: "film", keys: keys, batch: 1) { _ in
                    done += 1
                    if done == batches { throw Stop() }
                }
            }
        }
        #expect(try refusal { try destroy() }.contains("film.title"))
        do { try open().reseal("title", of: "film", keys: keyring().fieldKeys()) }
        try destroy()
        #expect(try readable() == 40)
    }

    @Test(
        "A fork that the keyring does not remember yet stands in the way: it has the cells of its database"
    )
    func fork() throws {
        let copy = scratch.folder.file("copy.db")
        var databases = try scratch.keyring()
        do {
            try databases.bind(open(), in: scratch.file)
            let store = try Store.open(scratch.path, rawKey: databases.activeDatabaseKey())
            try store.blocking.backup(to: copy)
            try store.blocking.close()
        }
        let fork = try Fork(of: copy, keyring: scratch.file).run(&databases)
        do { try open().reseal("title", of: "film", keys: keyring().fieldKeys()) }
        #expect(try refusal { try destroy() }.contains(Hex.encode(fork.database)))
        try destroy(lost: [fork.database])
        #expect(try readable() == 40)
    }

    @Test("A large cell under the key, of which only the beginning is read, stands in the way")
    func largeCell() throws {
        do {
            let connection = try openBefore()
            try connection.protect("trailer", of: "film", keys: old)
            try connection.execute("UPDATE film_open SET trailer = zeroblob(?) WHERE id = 1", (1 << 20) + 4096)
        }
        do { try open().reseal("title", of: "film", keys: keyring().fieldKeys()) }
        #expect(try refusal { try destroy() }.contains("film.trailer"))
        do { try open().reseal("trailer", of: "film", keys: keyring().fieldKeys()) }
        try destroy()
        #expect(
            try open().value("SELECT length(trailer) FROM film_open WHERE id = 1", as: Int.self) == (1 << 20) + 4096)
    }

    @Test(
        "A registry without cells under the key, whose MACs are, is authenticated under the active key"
    )
    func registry() throws {
        do {
            let connection = try openBefore()
            try connection.unprotect("title", of: "film", keys: old)
            var keyring = try keyring()
            try file.remember(&keyring, sealedIn: connection)
        }
        try destroy()
        #expect(try state() == .destroyed)
        #expect(try open().value("SELECT count(*) FROM film WHERE title = 'title ' || id", as: Int.self) == 40)
    }

    @Test("A remembered database that nobody names stands in the way, and can be given up") func unseen() throws {
        do { try open().reseal("title", of: "film", keys: keyring().fieldKeys()) }
        let id = try #require(try open().databaseID())
        #expect(try refusal { try destroy(named: false) }.contains(Hex.encode(id)))
        #expect(try refusal { try destroy(.index, named: false) }.contains(Hex.encode(id)))
        try destroy(named: false, lost: [id])
        #expect(try state() == .destroyed)
        // What it remembers still refuses an older state of that database.
        #expect(try keyring().sealedMemory.record(of: id) != nil)
    }

    @Test("A backup with cells under the destroyed key is named before it replaces its database") func backup() throws {
        let copy = scratch.folder.file("copy.db")
        do {
            let store = try Store.open(scratch.path, rawKey: scratch.keyring().activeDatabaseKey())
            try store.blocking.backup(to: copy)
            try store.blocking.close()
        }
        func require(_ path: FilePath) throws {
            try Restore(scratch.path, from: path)
                .requireReadable(
                    keyring().fieldKeys(), backupKey: scratch.keyring().activeDatabaseKey())
        }
        try require(copy)
        do { try open().reseal("title", of: "film", keys: keyring().fieldKeys()) }
        try destroy()
        Refusal.expect(.keyUnavailable) { try require(copy) }
        try require(scratch.path)
    }

    @Test("Blind indexes under an index key stand in the way")
    func indexes() throws {
        let message = try refusal { try destroy(.index) }
        #expect(message.contains("blind indexes under it on film.title"))
        do {
            let connection = try open()
            let keys = try keyring().fieldKeys()
            try connection.unprotect("title", of: "film", keys: keys)
            let request = try #require(SealedIndex.Request("exact"))
            try connection.protect("title", of: "film", keys: keys, indexes: [request])
            var keyring = try keyring()
            try file.remember(&keyring, sealedIn: connection)
        }
        try destroy(.index)
        #expect(try state(.index) == .destroyed)
        #expect(try readable() == 40)
    }

    @Test("A database that proves less than the keyring remembers is not taken as proof") func stripped() throws {
        do {
            let operatorConnection = try Connection.open(scratch.path, key: scratch.keyring().activeDatabaseKey())
            try operatorConnection.with(rights: .engine) {
                try operatorConnection.execute("DELETE FROM lockstep_dataset")
            }
        }
        Refusal.expect(.registryMissing) { try destroy() }
        #expect(try state() == .retired)
    }

    @Test("A manifest key makes nothing unreadable, so no database is looked at")
    func manifestKey() throws {
        var keyring = try keyring()
        let version = try keyring.createKey(.manifest)
        try keyring.activateKey(.manifest, version: version)
        try file.save(&keyring)
        try destroy(.manifest, named: false)
        #expect(try state(.manifest) == .destroyed)
    }
}
