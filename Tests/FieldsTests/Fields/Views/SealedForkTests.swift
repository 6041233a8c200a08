import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// A fork carries the registry of its database, and a fields keyring learns of it later.
@Suite("A fork with sealed columns")
struct SealedForkTests {
    private let scratch: RotationScratch
    private let file: KeyringFile
    private let keyFile: FilePath
    private var copy: FilePath { scratch.folder.file("copy.db") }

    /// A fork of a database with a sealed column, made without the dataset's keyring.
    init() throws {
        scratch = try RotationScratch()
        file = KeyringFile(scratch.folder.file("films.fields.keyring"))
        keyFile = scratch.folder.file("fields.key")
        try KeyFile.create(keyFile)
        var fields = try Keyring.create(.fields)
        try fields.addSlot("key-file", KeyFile.read(keyFile))
        try file.create(fields)
        var keyring = try scratch.keyring()
        do {
            var options = ConnectionOptions()
            options.fieldKeys = [try fields.fieldKeys(named: "films")]
            let connection = try Connection.create(scratch.path, key: keyring.activeDatabaseKey(), options: options)
            try connection.run(
                script: """
                    CREATE TABLE film (id INTEGER PRIMARY KEY, title TEXT);
                    INSERT INTO film VALUES (1, 'a'), (2, 'b');
                    """)
            try connection.protect("title", of: "film", keys: fields.fieldKeys())
            try keyring.bind(connection, in: scratch.file)
            try file.remember(&fields, sealedIn: connection)
            try connection.checkpoint(.truncate)
        }
        let store = try Store.open(scratch.path, rawKey: keyring.activeDatabaseKey())
        try store.blocking.backup(to: copy)
        try store.blocking.close()
        try Fork(of: copy, keyring: scratch.file).run(&keyring)
    }

    private func fields() throws -> Keyring { try file.open { _ in try KeyFile.read(keyFile) } }

    private func open(_ path: FilePath, firstTime: Bool = false) throws -> Connection {
        var options = ConnectionOptions()
        options.fieldKeys = [try fields().fieldKeys(named: "films")]
        options.firstTime = firstTime
        return try Connection.open(path, key: scratch.keyring().databaseKey(for: path), options: options)
    }

    /// As an operator does who has the database's key and none of the library's safeguards.
    private func tamper(_ sql: String) throws {
        let connection = try Connection.open(
            copy, key: scratch.keyring().keyOfNew(copy))
        try connection.with(rights: .engine) { try connection.execute(SQL(verbatim: sql)) }
    }

    private func findings() throws -> [String] {
        var verification = Verification(copy, sets: [])
        verification.fieldKeys = [try fields().fieldKeys(named: "films")]
        let report = try verification.run(keyring: scratch.keyring())
        let registry = try #require(report.outcomes.first { $0.check == .registry })
        return registry.findings.filter(\.isFailure).map(\.message)
    }

    @Test(
        "Its cells open before the fields keyring knows it, if a person says so, which then records where it came from")
    func learnt() throws {
        Refusal.expect(.registryMissing) { _ = try open(copy) }
        #expect(try findings().count == 1)
        #expect(try open(copy, firstTime: true).texts("SELECT title FROM film_open") == ["a", "b"])
        var keyring = try fields()
        do { try #expect(file.remember(&keyring, sealedIn: open(copy, firstTime: true))) }
        let records = keyring.sealedMemory.records
        let own = try #require(records.first { $0.origin != nil })
        let other = try #require(records.first { $0.origin == nil })
        #expect(records.count == 2)
        #expect(own.origin == other.database)
        #expect(own.registry == other.registry && own.code == other.code)
        #expect(own.columns == other.columns)
        do { try #expect(!file.remember(&keyring, sealedIn: open(copy))) }
        #expect(try findings() == [])
        for path in [scratch.path, copy] {
            #expect(try open(path).texts("SELECT title FROM film_open") == ["a", "b"])
        }
    }

    @Test("What is changed in it is no change of its database")
    func changed() throws {
        var keyring = try fields()
        do {
            let connection = try open(copy, firstTime: true)
            try connection.unprotect("title", of: "film", keys: keyring.fieldKeys())
            // Only who has the fields keyring can have changed it under its own identity.
            #expect(try open(copy).texts("SELECT title FROM film") == ["a", "b"])
            try file.remember(&keyring, sealedIn: connection)
        }
        #expect(try open(scratch.path).texts("SELECT title FROM film_open") == ["a", "b"])
        #expect(try open(copy).texts("SELECT title FROM film") == ["a", "b"])
    }

    @Test("A fork whose registry was removed is no first time, whatever the program allows") func laundered() throws {
        for table in ["dataset", "column", "field_key"] {
            try tamper("DELETE FROM lockstep_\(table)")
        }
        Refusal.expect(.registryMissing) { _ = try open(copy, firstTime: true) }
        Refusal.expect(.registryMissing) { _ = try open(copy) }
    }

    @Test("The keyring says what is a fork of what: a file with another identity is none") func claimed() throws {
        var keyring = try scratch.keyring()
        let origin = try #require(keyring.document.files.first { $0.origin == nil }?.database)
        try keyring.change(in: scratch.file) { keyring in
            for index in keyring.document.files.indices {
                keyring.document.files[index].origin = nil
            }
        }
        Refusal.expect(.registryMissing) { _ = try open(copy, firstTime: true) }
        #expect(try findings().count == 1)
        // One that says it was forked from itself leads nowhere.
        try keyring.change(in: scratch.file) { keyring in
            for index in keyring.document.files.indices where keyring.document.files[index].database != origin {
                keyring.document.files[index].origin = keyring.document.files[index].database
            }
        }
        Refusal.expect(.registryMissing) { _ = try open(copy, firstTime: true) }
    }

    @Test("A fork of a fork must prove what is remembered of the first database")
    func chain() throws {
        let third = scratch.folder.file("third.db")
        var keyring = try scratch.keyring()
        let store = try Store.open(copy, rawKey: keyring.databaseKey(for: copy))
        try store.blocking.backup(to: third)
        try store.blocking.close()
        try Fork(of: third, keyring: scratch.file).run(&keyring)
        #expect(try open(third, firstTime: true).texts("SELECT title FROM film_open") == ["a", "b"])
    }

    /// Puts the registry of one file into the other, as it is.
    private func putRegistry(of source: FilePath, into target: FilePath) throws {
        let rows = try RegistryRows(operating(source))
        let connection = try operating(target)
        try connection.with(rights: .engine) {
            try connection.dropGuards()
            try rows.write(connection)
        }
        #expect(try RegistryRows(connection) == rows)
    }

    private func operating(_ path: FilePath) throws -> Connection {
        try Connection.open(path, key: scratch.keyring().keyOfNew(path).withoutOrigin())
    }

    private func unseal(_ path: FilePath) throws {
        var keyring = try fields()
        let connection = try open(path, firstTime: true)
        try connection.unprotect("title", of: "film", keys: keyring.fieldKeys())
        try file.remember(&keyring, sealedIn: connection)
    }

    @Test("Its newer registry, genuine and with fewer columns, is no later state of its database") func diverged()
        throws
    {
        try unseal(copy)
        try putRegistry(of: copy, into: scratch.path)
        Refusal.expect(.registryForged) { _ = try open(scratch.path) }
        Refusal.expect(.registryForged) { _ = try open(scratch.path, firstTime: true) }
        Refusal.expect(.registryForged) {
            var keyring = try fields()
            let keys = try keyring.fieldKeys(named: "films").withoutMemory()
            var options = ConnectionOptions()
            options.fieldKeys = [keys]
            let key = try scratch.keyring().databaseKey(for: scratch.path)
            try file.remember(&keyring, sealedIn: Connection.open(scratch.path, key: key, options: options))
        }
    }

    @Test("The newer registry of its database is no later state of the fork", arguments: [false, true])
    func divergedOriginal(isKnown: Bool) throws {
        if isKnown {
            var keyring = try fields()
            try file.remember(&keyring, sealedIn: open(copy, firstTime: true))
        }
        try unseal(scratch.path)
        try putRegistry(of: scratch.path, into: copy)
        if isKnown {
            Refusal.expect(.registryForged) { _ = try open(copy) }
        } else {
            Refusal.expect(.registryMissing) { _ = try open(copy) }
        }
    }

    @Test("A state from before the fork is older in both, and a fork of a fork is neither") func mixed() throws {
        let before = try RegistryRows(operating(scratch.path))
        var keyring = try fields()
        do {
            let connection = try open(copy, firstTime: true)
            try connection.reseal("title", of: "film", keys: keyring.fieldKeys())
            try file.remember(&keyring, sealedIn: connection)
        }
        let second = scratch.folder.file("second.db")
        var database = try scratch.keyring()
        let store = try Store.open(copy, rawKey: database.databaseKey(for: copy))
        try store.blocking.backup(to: second)
        try store.blocking.close()
        try Fork(of: second, keyring: scratch.file).run(&database)
        try unseal(second)
        try putRegistry(of: second, into: copy)
        Refusal.expect(.registryForged) { _ = try open(copy) }
        try putRegistry(of: second, into: scratch.path)
        Refusal.expect(.registryForged) { _ = try open(scratch.path) }
        let connection = try operating(copy)
        try connection.with(rights: .engine) { try before.write(connection) }
        Refusal.expect(.registryOlder) { _ = try open(copy) }
    }

    @Test("A fork of another database of the dataset, put in the place of one, opens for nobody without a word")
    func sibling() throws {
        let registry = try RegistryRows(operating(copy))
        let id = try operating(copy).databaseID()
        let connection = try operating(scratch.path)
        try connection.with(rights: .engine) {
            try registry.write(connection)
            try connection.execute("UPDATE lockstep_keyring SET database = ? WHERE database NOT NULL", try #require(id))
        }
        var keyring = try scratch.keyring()
        try keyring.change(in: scratch.file) { keyring in
            keyring.document.files.removeAll { $0.origin == nil }
            keyring.document.files[0].path = nil
        }
        Refusal.expect(.registryMissing) { _ = try open(scratch.path) }
    }
}
