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

    @Test("A registry that names its database is not forked without the field keys")
    func earlier() throws {
        let other = scratch.folder.file("other.db")
        var keyring = try scratch.keyring()
        let store = try Store.open(scratch.path, rawKey: keyring.databaseKey(for: scratch.path))
        try store.blocking.backup(to: other)
        try store.blocking.close()
        do {
            let connection = try Connection.open(other, key: keyring.databaseKey(version: 1))
            try connection.with(rights: .engine) {
                try connection.execute("UPDATE lockstep_dataset SET database = randomblob(16)")
            }
        }
        let before = try Bytes.read(scratch.file.path)
        Refusal.expect(.misuse) {
            try Fork(of: other, keyring: scratch.file).run(&keyring)
        }
        #expect(try Bytes.read(scratch.file.path) == before)
    }
}
