import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import Lockstep

/// A folder with a database, its keyring and what opens it, and the check that everything is as it should
/// be, whatever has happened to a rotation.
struct RotationScratch {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try KeyFile.create(keyFile)
        var keyring = try Keyring.create(.database)
        try keyring.addSlot("key-file", KeyFile.read(keyFile))
        try file.create(keyring)
    }

    /// The same content in a folder of its own.
    init(copying other: RotationScratch) throws {
        folder = try TemporaryFolder()
        for name in try other.names where !name.hasSuffix("-shm") {
            try Bytes.write(Bytes.read(other.folder.file(name)), to: folder.file(name))
        }
    }

    var path: FilePath { folder.file("data.db") }
    var copyPath: FilePath { folder.file("data.db.rotating") }
    var file: KeyringFile { KeyringFile(folder.file("data.keyring")) }
    var keyFile: FilePath { folder.file("my.key") }

    func keyring() throws -> Keyring { try file.open { _ in try KeyFile.read(keyFile) } }

    var names: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: folder.path.string).sorted()
        }
    }

    /// The names beside the keyring's, its key's and the lock files'.
    var databaseNames: [String] { get throws { try names.filter { $0.hasPrefix("data.db") } } }

    /// Makes the folder that a loss of power needs.
    func makeLost() throws { try FaultyWorker.makeLost(in: folder.path) }

    // MARK: Content

    /// Makes a database with a table that has rowids of its own, a keyed one and a full-text index; with a
    /// log that lies beside it, as a killed program leaves one.
    func fill(rows: Int, size: Int = 100, logged: Int = 20) throws {
        let original = try DatabaseScratch()
        let connection = try Connection.create(original.path, key: keyring().activeDatabaseKey())
        try keyring().remember(in: connection)
        try connection.setHeaderField("user_version", 77)
        try connection.run(
            script: """
                CREATE TABLE item (id INTEGER PRIMARY KEY, body BLOB NOT NULL);
                CREATE TABLE loose (x); CREATE INDEX loosely ON loose (x);
                CREATE VIRTUAL TABLE words USING fts5(text);
                CREATE VIEW few AS SELECT x FROM loose;
                INSERT INTO loose (rowid, x) VALUES (70, 'a'), (-5, 'b'), (9000000000, 'c');
                INSERT INTO words VALUES ('one two'), ('three');
                """)
        try add(rows, size, to: connection)
        try connection.checkpoint(.truncate)
        try add(logged - 1, size, to: connection)
        try add(1, size, to: connection)
        try original.copy(to: path)
    }

    func add(_ rows: Int, _ size: Int, to connection: borrowing Connection) throws {
        try connection.write { connection in
            let insert = try connection.prepare("INSERT INTO item (body) VALUES (randomblob(?))")
            for _ in 0..<rows { try insert.run(size) }
        }
    }

    /// Everything that the rows, the schema and the header say, so that databases can be compared.
    static func content(_ connection: borrowing Connection) throws -> [String] {
        var content: [String] = []
        for query in [
            "SELECT count(*) || ' ' || sum(id) || ' ' || sum(length(body)) FROM item",
            // Only a part of each body, which costs less.
            "SELECT hex(substr(body, 1, 8)) || id FROM item WHERE id % 7 = 1",
            "SELECT rowid || x FROM loose ORDER BY x", "SELECT rowid || text FROM words WHERE words MATCH 'two'",
            "SELECT type || name || sql FROM sqlite_schema WHERE sql NOT NULL",
        ] {
            content += try connection.query(SQL(verbatim: query)) { row in try row[0] as String }
        }
        for field: StaticString in ["user_version", "application_id"] {
            content.append("\(field) \(try connection.headerField(field))")
        }
        return content
    }

    // MARK: What must hold

    /// The content, under the key that the keyring names.
    func content() throws -> [String] {
        let connection = try Connection.open(path, key: keyring().databaseKey(for: path))
        try IntegrityPragma.require(connection)
        return try Self.content(connection)
    }

    /// What is wrong with the database: nothing, whatever has happened. Its content must be `content`, under the
    /// one key of those in use that its keyring names for it, and under no other.
    func findFault(_ content: [String]) throws -> String? {
        let keyring = try keyring()
        do {
            guard try self.content() == content else { return "other content" }
        } catch let error as LockstepError {
            return "it does not open: \(error)"
        }
        var opening: [UInt32] = []
        for key in keyring.summary.keys where key.state != .destroyed {
            for found in try keys(key.version, keyring) where try opens(keyring.databaseKey(found)) {
                opening.append(key.version)
                guard try PageAudit(path).run(key: keyring.databaseKey(found)).isClean
                else { return "pages that do not verify" }
            }
        }
        guard opening.count == 1 else { return "keys \(opening) open it" }
        let state = keyring.summary.keys.first { $0.version == opening[0] }?.state
        guard state == .active || state == .pending else { return "its key is \(state as Any)" }
        return try findAgeFault(keyring)
    }

    /// The keys of a version that the file can have: those of the recorded databases, and the shared one.
    private func keys(_ version: UInt32, _ keyring: borrowing Keyring) throws -> [FileKey] {
        let entry = try keyring.entry(of: version)
        let salt = [UInt8](repeating: 0, count: DatabaseKey.saltLength)
        return [FileKey(entry: entry)]
            + keyring.document.files.map { FileKey(entry: entry, file: $0.database, salt: salt) }
    }

    /// Records the database in the keyring, which empties its log. Its key is one that several files can have.
    func list() throws {
        var keyring = try keyring()
        try keyring.bind(Connection.open(path, key: keyring.databaseKey(for: path)), in: file)
    }

    /// Whether the keyring records the database with a key of its own, which it has.
    func hasOwnKey() throws -> Bool {
        let keyring = try keyring()
        let key = try keyring.keyEntry(of: path)
        guard keyring.document.files.count == 1, let record = keyring.document.files.first else { return false }
        return try key.file == record.database && record.salt == Array(Bytes.read(path).prefix(16))
    }

    /// Whether the file and its keyring seem to be from different times: they never are.
    func findAgeFault(_ keyring: borrowing Keyring) throws -> String? {
        var options = ConnectionOptions()
        options.isQueryOnly = true
        let connection = try Connection.open(path, key: keyring.databaseKey(for: path), options: options)
        let findings = try FreshnessCheck(keyring, of: path).run(connection).findings.filter(\.isFailure)
        return findings.isEmpty ? nil : "\(findings)"
    }

    func opens(_ key: borrowing DatabaseKey) throws -> Bool {
        do {
            _ = try Connection.open(path, key: key)
            return true
        } catch let error as LockstepError where error.code == .wrongKey {
            return false
        }
    }

    /// Rotates.
    @discardableResult
    func rotate(
        _ reason: DatabaseKeyRotation.Reason = .routine,
        _ progress: JobProgress.Handler = { _ in }
    ) throws -> KeyRotationReport {
        var keyring = try keyring()
        return try DatabaseKeyRotation(of: path, keyring: file, reason: reason)
            .run(&keyring, progress: progress)
    }

    /// Expects that the next rotation completes, and leaves no other files.
    func expectCompletion(_ content: [String], _ context: Comment) throws {
        let report = try rotate()
        #expect(try findFault(content) == nil, context)
        #expect(try databaseNames == ["data.db"], context)
        let keyring = try keyring()
        let states = Dictionary(grouping: keyring.summary.keys, by: \.state)
        #expect(states[.pending] == nil, context)
        #expect(states[.active]?.map(\.version) == [report.newVersion], context)
        #expect(try opens(keyring.databaseKey(for: path)), context)
    }

    /// The states of the database keys, in the order of their versions.
    var states: [KeyState] {
        get throws {
            let keyring = try keyring()
            return keyring.summary.keys.map(\.state)
        }
    }
}
