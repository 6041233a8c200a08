import SystemPackage
import TestSupport

@testable import EngineTestSupport
@testable import Lockstep

/// A database with a table `film` of two columns that can be sealed, and the keyring of its dataset.
struct RememberedScratch {
    let scratch: RotationScratch
    let file: KeyringFile
    private let keyFile: FilePath

    /// - Parameter rows: The number of films.
    init(rows: Int = 150) throws {
        scratch = try RotationScratch()
        file = KeyringFile(scratch.folder.file("films.fields.keyring"))
        keyFile = scratch.folder.file("fields.key")
        try KeyFile.create(keyFile)
        var keyring = try Keyring.create(.fields)
        try keyring.addSlot("key-file", KeyFile.read(keyFile))
        try file.create(keyring)
        let connection = try Connection.create(
            scratch.path, key: scratch.keyring().activeDatabaseKey(), options: Self.options(keyring))
        try connection.execute(
            "CREATE TABLE film (id INTEGER PRIMARY KEY, title TEXT, plot TEXT)")
        try connection.execute(
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
            INSERT INTO film SELECT i, 'title ' || i, 'plot ' || i FROM n
            """, rows)
        try connection.checkpoint(.truncate)
    }

    static func options(
        _ keyring: borrowing Keyring, mayBeUnsealed: Bool = true
    ) throws -> ConnectionOptions {
        var options = ConnectionOptions()
        options.fieldKeys = [try keyring.fieldKeys(named: "films")]
        options.mayBeUnsealed = mayBeUnsealed
        return options
    }

    func keyring() throws -> Keyring { try file.open { _ in try KeyFile.read(keyFile) } }

    /// A connection that opens sealed columns, if the file is one that the keyring remembers.
    @discardableResult
    func open(mayBeUnsealed: Bool = false) throws -> Connection {
        try Connection.open(
            scratch.path, key: scratch.keyring().activeDatabaseKey(),
            options: Self.options(keyring(), mayBeUnsealed: mayBeUnsealed))
    }

    /// A connection without field keys.
    func openWithout() throws -> Connection {
        try Connection.open(scratch.path, key: scratch.keyring().databaseKey(version: 1))
    }

    /// Seals columns, and makes the keyring remember it.
    func seal(_ columns: String...) throws {
        var keyring = try keyring()
        let connection = try open(mayBeUnsealed: true)
        for column in columns {
            try connection.protect(
                column, of: "film", keys: keyring.fieldKeys(named: "films"), indexes: [SealedIndex.Request(.casefold)])
        }
        try file.remember(&keyring, sealedIn: connection)
        try connection.checkpoint(.truncate)
    }

    /// What a command does that may write.
    func remember() throws {
        var keyring = try keyring()
        try file.remember(&keyring, sealedIn: open())
    }

    /// What a person accepts.
    @discardableResult
    func accept() throws -> Bool {
        var keyring = try keyring()
        var options = ConnectionOptions()
        options.fieldKeys = [try keyring.fieldKeys(named: "films").withoutMemory()]
        options.mayBeUnsealed = true
        let connection = try Connection.open(scratch.path, key: scratch.keyring().activeDatabaseKey(), options: options)
        return try file.accept(&keyring, sealedIn: connection)
    }

    /// As an attacker does who has the key and none of the library's safeguards.
    func tamper(_ statements: String...) throws {
        let connection = try openWithout()
        try connection.with(rights: .engine) {
            for statement in statements { try connection.execute(SQL(verbatim: statement)) }
        }
        try connection.checkpoint(.truncate)
    }

    func backUp(to name: String) throws -> FilePath {
        let path = scratch.folder.file(name)
        let key = try scratch.keyring().activeDatabaseKey()
        let store = try Store.open(scratch.path, rawKey: key)
        try Backup(to: path).run(on: store, key: key)
        try store.blocking.close()
        return path
    }

    func restore(_ backup: FilePath) throws {
        let keyring = try scratch.keyring()
        try Restore(scratch.path, from: backup).run(
            key: keyring.activeDatabaseKey(), backupKey: keyring.databaseKey(version: 1))
    }

    /// How many titles open.
    func titles() throws -> Int? {
        try open().value("SELECT count(*) FROM film_open WHERE title = 'title ' || id")
    }
}
