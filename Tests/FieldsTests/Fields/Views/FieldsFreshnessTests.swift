import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// A fields keyring and a database: neither may be older than the other remembers.
struct FieldsFreshnessTests {
    private let scratch: RotationScratch
    private let file: KeyringFile
    private let keyFile: FilePath

    /// A database with a sealed column, of which the dataset's keyring knows.
    init() throws {
        scratch = try RotationScratch()
        file = KeyringFile(scratch.folder.file("films.fields.keyring"))
        keyFile = scratch.folder.file("fields.key")
        try KeyFile.create(keyFile)
        var keyring = try Keyring.create(.fields)
        try keyring.addSlot("key-file", KeyFile.read(keyFile))
        try keyring.addSlot("other", KeyFile.read(keyFile))
        try file.create(keyring)
        let connection = try Connection.create(
            scratch.path, key: scratch.keyring().activeDatabaseKey(), options: Self.options(keyring))
        try connection.run(
            script: """
                CREATE TABLE film (id INTEGER PRIMARY KEY, title TEXT);
                INSERT INTO film VALUES (1, 'a'), (2, 'b');
                """)
        try connection.protect("title", of: "film", keys: keyring.fieldKeys())
        try file.remember(&keyring, sealedIn: connection)
        try connection.checkpoint(.truncate)
    }

    private static func options(_ keyring: borrowing Keyring) throws -> ConnectionOptions {
        var options = ConnectionOptions()
        options.fieldKeys = [try keyring.fieldKeys(named: "films")]
        options.mayBeUnsealed = true
        return options
    }

    private func keyring() throws -> Keyring { try file.open { _ in try KeyFile.read(keyFile) } }

    private func open(_ keyring: borrowing Keyring) throws -> Connection {
        try Connection.open(scratch.path, key: scratch.keyring().activeDatabaseKey(), options: Self.options(keyring))
    }

    @discardableResult
    private func open() throws -> Connection { try open(keyring()) }

    /// What a command does that may write.
    @discardableResult
    private func remember() throws -> Bool {
        var keyring = try keyring()
        let connection = try open(keyring)
        let isWritten = try file.remember(&keyring, sealedIn: connection)
        try connection.checkpoint(.truncate)
        return isWritten
    }

    private func change(_ body: (inout Keyring) throws -> Void = { _ in }) throws {
        var keyring = try keyring()
        try body(&keyring)
        try file.save(&keyring)
    }

    private func expectRefused(_ code: LockstepError.Code, _ beginning: String) throws {
        let before = (try Bytes.read(scratch.path), try Bytes.read(file.path))
        let error = try #require(throws: LockstepError.self) { try open() }
        #expect(error.code == code)
        #expect(error.message.hasPrefix(beginning) && error.message.contains("films"))
        #expect(error.hint != nil)
        var options = StoreOptions()
        options.connection = try Self.options(keyring())
        Refusal.expect(code) {
            _ = try Store.open(scratch.path, rawKey: scratch.keyring().activeDatabaseKey(), options: options)
        }
        var verification = Verification(scratch.path, sets: [])
        verification.fieldKeys = [try keyring().fieldKeys(named: "films")]
        let report = try verification.run(keyring: scratch.keyring())
        let registry = report.outcomes.first { $0.check == .registry }
        #expect(registry?.hasFailed == true && registry?.obstacle?.code == code)
        #expect(try Bytes.read(scratch.path) == before.0)
        #expect(try Bytes.read(file.path) == before.1)
    }

    @Test("The database records the keyring, and the keyring notes that, once")
    func recorded() throws {
        let keyring = try keyring()
        let record = try #require(keyring.sealedMemory.records.first)
        #expect(record.seen == keyring.epoch - 1)
        do {
            let content = try KeyringTable.read(open())
            #expect(content.fieldsEpochs == [keyring.document.ringID: keyring.epoch])
            #expect(content.epochs[keyring.document.ringID] == nil)
        }
        let before = (try Bytes.read(scratch.path), try Bytes.read(file.path))
        #expect(try !remember())
        #expect(try Bytes.read(scratch.path) == before.0)
        #expect(try Bytes.read(file.path) == before.1)
    }

    @Test("A keyring that was changed by itself alarms nobody")
    func changedAlone() throws {
        for _ in 0..<3 {
            try change()
            try open()
        }
        #expect(try remember())
        #expect(try !remember())
    }

    @Test(
        "An older copy, in which a removed slot is back, is refused once a command has recorded the newer one"
    )
    func removedSlot() throws {
        let old = try Bytes.read(file.path)
        try change { keyring in try keyring.removeSlot("other") }
        try remember()
        let newest = try Bytes.read(file.path)
        try Bytes.write(old, to: file.path)
        try expectRefused(.keyringOutdated, "the fields keyring")
        try Bytes.write(newest, to: file.path)
        try open()
    }

    @Test(
        "So is one from before a change of the ring, whether or not the database knew its ring",
        arguments: [1, 2])
    func formerRing(_ changes: Int) throws {
        for _ in 1..<changes { try rotateRing() }
        let old = try Bytes.read(file.path)
        try rotateRing()
        try open()
        try remember()
        try open()
        try Bytes.write(old, to: file.path)
        try expectRefused(.keyringOutdated, "the fields keyring")
    }

    private func rotateRing() throws {
        try change { keyring in
            try keyring.rotateRing()
            try keyring.addSlot("key-file", KeyFile.read(keyFile))
        }
    }

    @Test("An older copy of the database is refused, and accepted by its owner") func olderDatabase() throws {
        let old = try Bytes.read(scratch.path)
        try change()
        try remember()
        try Bytes.write(old, to: scratch.path)
        try expectRefused(.databaseOutdated, "the database is older")
        do {
            var keyring = try keyring()
            var options = ConnectionOptions()
            options.fieldKeys = [try keyring.fieldKeys().withoutMemory()]
            let connection = try Connection.open(
                scratch.path, key: scratch.keyring().activeDatabaseKey(), options: options)
            try file.accept(&keyring, sealedIn: connection)
        }
        try open()
    }

    @Test("A database that lost what it recorded is older")
    func lost() throws {
        do {
            let connection = try Connection.open(scratch.path, key: scratch.keyring().databaseKey(version: 1))
            try connection.with(rights: .engine) {
                try connection.execute(
                    "DELETE FROM lockstep_keyring WHERE dataset IS NOT NULL")
            }
        }
        Refusal.expect(.databaseOutdated) { try open() }
    }

    @Test("A program that has the database open goes on, and opens further connections") func running() throws {
        var options = StoreOptions()
        options.connection = try Self.options(keyring())
        let store = try Store.open(scratch.path, rawKey: scratch.keyring().activeDatabaseKey(), options: options)
        try change()
        try remember()
        for _ in 0..<2 {
            #expect(
                try store.blocking.read {
                    try $0.value("SELECT count(*) FROM film_open", as: Int.self)
                }
                    == 2)
            try store.blocking.write {
                try $0.execute("UPDATE film_open SET title = 'c' WHERE id = 1")
            }
        }
    }

    @Test("An issued keyring has a ring that no database knows, and opens it")
    func issued() throws {
        let identity = try Identity.generate()
        let issued = try Keyring.open(
            keyring().issue(to: identity.recipient).encode(epoch: 1)
        ) { _ in try .identity(identity) }
        for _ in 0..<2 {
            _ = try open(issued)
            try change()
            try remember()
        }
    }

    @Test("Rows of fields keyrings leave those of database keyrings as they are")
    func apart() throws {
        var database = try scratch.keyring()
        let before: [[UInt8]: UInt64]
        do {
            let connection = try open()
            try database.remember(in: connection)
            before = try KeyringTable.read(connection).fieldsEpochs
        }
        try database.rotateRing()
        try database.addSlot("key-file", KeyFile.read(scratch.folder.file("my.key")))
        for _ in 0..<9 { try scratch.file.save(&database) }
        let connection = try open()
        try database.remember(in: connection)
        #expect(try KeyringTable.read(connection).fieldsEpochs == before)
        try open()
    }
}
