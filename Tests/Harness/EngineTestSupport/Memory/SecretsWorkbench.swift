import SystemPackage
import TestSupport

@testable import Lockstep

/// A database with a sealed column of each kind, its keyrings, and the key files that open those. One process makes it
/// and knows what to look for; another one uses it, and gets secrets only from the files.
struct SecretsWorkbench {
    private let folder: TemporaryFolder
    /// The path of the folder.
    var path: FilePath { folder.path }
    /// The secrets to look for in the process that uses it.
    let secrets: KnownSecrets

    /// Makes the files in a new folder.
    init() throws {
        folder = try TemporaryFolder()
        let files = SecretsInUse(in: folder.path)
        for file in [files.keyFile, files.phrase] { try KeyFile.create(file) }
        try Identity.generate().create(files.identity)
        var ring = try Keyring.create(.database)
        try ring.addSlot("file", KeyFile.read(files.keyFile))
        try files.ring.create(ring)
        var fields = try Keyring.create(.fields)
        try fields.addSlot("file", KeyFile.read(files.keyFile))
        try fields.addSlot("reader", for: Identity.read(files.identity).recipient)
        try fields.addSlot("typed", .passphrase(files.passphrase()), cost: Rings.cheap)
        try files.fields.create(fields)

        let keys = try fields.fieldKeys(named: SecretsInUse.dataset)
        var options = ConnectionOptions()
        options.fieldKeys = [keys]
        let connection = try Connection.create(files.database, key: ring.activeDatabaseKey(), options: options)
        try connection.run(
            script: """
                CREATE TABLE film (id INTEGER PRIMARY KEY, code TEXT, note);
                INSERT INTO film VALUES (1, 'first', 'one note'), (2, 'second', 'another');
                """)
        try connection.protect("code", of: "film", keys: keys, mode: .deterministic)
        try connection.protect("note", of: "film", keys: keys, indexes: [SealedIndex.Request(.exact)])
        try connection.execute(
            "UPDATE film_open SET note = ? WHERE id = 2",
            [UInt8](repeating: 0x33, count: 1_500_000))

        var known = KnownSecrets()
        try known.add("passphrase", KeyFile.read(files.phrase).secret)
        try known.add("key file", KeyFile.read(files.keyFile).secret)
        try known.add("identity", Identity.read(files.identity).secret)
        try known.add(ring)
        try known.add(fields)
        try known.add(ring.activeDatabaseKey())
        try known.add(keys, on: connection)
        secrets = known
    }
}

/// The same files, as seen by the process that uses them.
struct SecretsInUse {
    /// The dataset's name.
    static let dataset = "films"
    private let folder: FilePath

    /// The files in a workbench's folder.
    init(in folder: FilePath) { self.folder = folder }

    fileprivate var database: FilePath { folder.appending("films.db") }
    fileprivate var ring: KeyringFile {
        KeyringFile(folder.appending("Keys/films.database.keyring"))
    }
    fileprivate var fields: KeyringFile {
        KeyringFile(folder.appending("Keys/films.fields.keyring"))
    }
    fileprivate var keyFile: FilePath { folder.appending("key") }
    fileprivate var identity: FilePath { folder.appending("identity") }
    fileprivate var phrase: FilePath { folder.appending("phrase") }

    fileprivate func passphrase() throws -> Passphrase {
        try Passphrase(KeyFile.read(phrase).secret.clone())
    }

    /// Runs `body` while everything is held and in use: the key files, two keyrings, and one connection that has
    /// written, read and looked up cells of each kind, and has a large one open.
    func withAll(_ body: () throws -> Void) throws {
        let phrase = try passphrase()
        let file = try KeyFile.read(keyFile)
        let identity = try Identity.read(self.identity)
        _ = try fields.open { slot in
            guard case .passphrase = slot.kind else { return nil }
            return try .passphrase(phrase.clone())
        }
        _ = try fields.open { slot in
            guard case .identity = slot.kind else { return nil }
            return try .identity(Identity.read(self.identity))
        }
        let ring = try ring.open { _ in try KeyFile.read(keyFile) }
        let fields = try fields.open { slot in
            try slot.kind == .keyFile ? KeyFile.read(keyFile) : nil
        }
        let keys = try fields.fieldKeys(named: Self.dataset)
        var options = ConnectionOptions()
        options.fieldKeys = [keys]
        let connection = try Connection.open(database, key: ring.activeDatabaseKey(), options: options)
        try connection.execute("INSERT INTO film_open (code, note) VALUES (?, ?)", "third", "a third note")
        _ = try connection.value("SELECT code FROM film_open WHERE id = 1", as: String.self)
        // The randomly sealed cell that is opened last: see KnownSecrets.
        _ = try connection.value("SELECT id FROM film_open WHERE note = 'one note'", as: Int.self)
        let place = BlobPlace(table: "film", column: "note", row: 2)
        try connection.withSealedBlob(place) { blob in
            try blob.forEachChunk { _ in }
            try body()
        }
        _ = consume connection
        // Keeps them alive up to here, whatever the optimiser does.
        withExtendedLifetime(keys) {}
        _ = (phrase.matches(phrase), file.name, identity.recipient, ring.epoch, fields.epoch)
    }
}
