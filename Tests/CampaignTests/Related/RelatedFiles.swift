import SystemPackage
import TestSupport

@testable import EngineTestSupport
@testable import Lockstep

/// A database and the files that are related to it, with the keyrings of all. Each but the siblings was made from it before
/// its last changes: other values of the sealed column, and one more sealed column.
struct RelatedFiles: Sendable {
    enum Relation: String, CaseIterable, Sendable {
        /// Another database of the dataset, under the same keyring; under one of its own.
        case sibling, stranger = "sibling under another keyring"
        case fork
        /// By another program, such as `cp`.
        case copy
        case backup

        var file: String { "\(self).db" }
    }

    static let original = "original.db"
    private static let names =
        [original, "one.keyring", "other.keyring", "fields.keyring"] + Relation.allCases.map(\.file)

    static let prototype = Result { try RelatedFiles(new: TemporaryFolder()).kept() }

    let folder: TemporaryFolder
    private var bytes: [String: [UInt8]] = [:]

    /// Files of its own, as they were made once.
    init() throws {
        folder = try TemporaryFolder()
        for (name, bytes) in try Self.prototype.get().bytes { try folder.write(name, bytes) }
    }

    private init(new folder: TemporaryFolder) throws {
        self.folder = folder
        for (name, purpose) in [("one", KeyringPurpose.database), ("other", .database), ("fields", .fields)] {
            var keyring = try Keyring.create(purpose)
            try keyring.addSlot("file", Rings.keyFile())
            try KeyringFile(folder.file("\(name).keyring")).create(keyring)
        }
        let original = folder.file(Self.original)
        try make(original)
        try make(path(.sibling))
        try make(path(.stranger))
        for relation in [Relation.fork, .backup] {
            let store = try Store.open(original, rawKey: databaseKey(original))
            try store.blocking.backup(to: path(relation))
            try store.blocking.close()
        }
        try Bytes.write(Bytes.read(original), to: path(.copy))
        var keyring = try Self.keyring(ring(original))
        try Fork(of: path(.fork), keyring: ring(original)).run(&keyring)
        try change(path(.fork), firstTime: true) { connection, keys in
            try connection.execute("UPDATE film_open SET title = title || ' of the fork'")
            try connection.unprotect("note", of: "film", keys: keys)
        }
        try change(original) { connection, keys in
            try connection.execute("UPDATE film_open SET title = title || ' of now'")
            try connection.protect("role", of: "credit", keys: keys)
        }
    }

    private func kept() throws -> RelatedFiles {
        var files = self
        for name in Self.names { files.bytes[name] = try Bytes.read(folder.file(name)) }
        return files
    }

    func path(_ relation: Relation) -> FilePath { folder.file(relation.file) }

    /// The keyring of a file.
    private func ring(_ path: FilePath) -> KeyringFile {
        KeyringFile(folder.file(path == self.path(.stranger) ? "other.keyring" : "one.keyring"))
    }

    private static func keyring(_ file: KeyringFile) throws -> Keyring { try file.open { _ in try Rings.keyFile() } }

    private var fieldsFile: KeyringFile { KeyringFile(folder.file("fields.keyring")) }
    private func fields() throws -> Keyring { try Self.keyring(fieldsFile) }

    private func databaseKey(_ path: FilePath) throws -> DatabaseKey {
        try Self.keyring(ring(path)).databaseKey(for: path)
    }

    private func make(_ path: FilePath) throws {
        var keyring = try Self.keyring(ring(path))
        let store = try Store.create(path, keyring: &keyring, in: ring(path))
        try store.blocking.close()
        try change(path, firstTime: true) { connection, keys in
            try connection.run(
                script: """
                    CREATE TABLE film (id INTEGER PRIMARY KEY, title TEXT, note TEXT);
                    INSERT INTO film VALUES (1, 'Alien', 'n'), (2, 'Brazil', 'n'), (3, 'Carrie', 'n');
                    CREATE TABLE credit (id INTEGER PRIMARY KEY, role TEXT);
                    INSERT INTO credit VALUES (1, 'r'), (2, 'r');
                    """)
            try connection.protect("title", of: "film", keys: keys, indexes: [.init(.exact, bits: 63)])
            try connection.protect("note", of: "film", keys: keys)
        }
    }

    private func change(
        _ path: FilePath, firstTime: Bool = false, _ body: (borrowing Connection, FieldKeys) throws -> Void
    ) throws {
        var fields = try fields()
        let keys = try fields.fieldKeys(named: "films")
        let connection = try open(path, keys, firstTime: firstTime)
        try body(connection, keys)
        try fieldsFile.remember(&fields, sealedIn: connection)
        try connection.checkpoint(.truncate)
    }

    private func open(_ path: FilePath, _ keys: FieldKeys, firstTime: Bool = false) throws -> Connection {
        var options = ConnectionOptions()
        options.fieldKeys = [keys]
        options.firstTime = firstTime
        return try Connection.open(path, key: databaseKey(path), options: options)
    }

    // MARK: What is put where

    /// The operator's connection with a file: with its key, whatever the file remembers.
    func tamper(_ path: FilePath, _ body: (borrowing Connection) throws -> Void) throws {
        let key = try Self.keyring(ring(path)).databaseKey(ofBackup: path)
        let connection = try Connection.open(path, key: key)
        try connection.with(rights: .engine) {
            try connection.write { connection in try body(connection) }
        }
        try connection.checkpoint(.truncate)
    }

    enum Outcome: String {
        case refused, found, unnoticed
    }

    /// What reading all of a file with its keyrings comes to, and then `verify`.
    /// - Parameter note: Receives the error, or what `verify` finds.
    func outcome(_ path: FilePath, _ note: ([String]) -> Void) throws -> Outcome {
        let keys = try fields().fieldKeys(named: "films")
        do {
            let connection = try open(path, keys)
            _ = try connection.query("SELECT title, note FROM film_open") { row in
                try (0..<2).map { try row[$0] as String? }
            }
        } catch let error as LockstepError {
            note([error.message])
            return .refused
        }
        var verification = Verification(path, sets: [])
        verification.fieldKeys = [keys]
        // No set is given, which the schema could be compared with.
        let findings = try verification.run(keyring: Self.keyring(ring(path))).outcomes.filter { $0.check != .drift }
            .flatMap(\.findings).filter(\.isFailure)
        note(findings.map(\.message))
        return findings.isEmpty ? .unnoticed : .found
    }
}
