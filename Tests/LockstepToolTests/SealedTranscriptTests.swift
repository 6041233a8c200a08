import Lockstep
import SystemPackage
import TestSupport
import Testing

/// Transcripts about a database with a sealed column, created by a program.
@Suite("The tool and sealed columns")
struct SealedTranscriptTests {
    /// A folder with the key file `k`, the database films.db of the dataset `films`, and the keyrings of both.
    private static func films() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try KeyFile.create(folder.file("k"))
        let keys = folder.file("films.db.keys")
        func make(_ purpose: KeyringPurpose, _ name: String) throws -> Keyring {
            var keyring = try Keyring.create(purpose)
            try keyring.addSlot("owner", KeyFile.read(folder.file("k")))
            try KeyringFile(keys.appending(name)).create(keyring)
            return keyring
        }
        let database = try make(.database, "database.keyring")
        let fields = try make(.fields, "films.fields.keyring").fieldKeys()
        let path = folder.file("films.db")
        do {
            let connection = try Connection.create(path, key: database.activeDatabaseKey())
            try connection.run(
                script: """
                    CREATE TABLE film (id INTEGER PRIMARY KEY, title TEXT);
                    INSERT INTO film (title) VALUES ('Casablanca'), ('Laura'), ('Metropolis');
                    """)
        }
        var options = ConnectionOptions()
        options.fieldKeys = [fields]
        options.mayBeUnsealed = true
        let connection = try Connection.open(path, key: database.activeDatabaseKey(), options: options)
        try connection.protect("title", of: "film", keys: fields)
        return folder
    }

    private struct Stop: Error {}

    /// Unseals the first row, and stops.
    private static func beginUnsealing(_ folder: TemporaryFolder) throws {
        func open(_ name: String) throws -> Keyring {
            try KeyringFile(folder.file("films.db.keys").appending(name)).open { _ in
                try KeyFile.read(folder.file("k"))
            }
        }
        let keys = try open("films.fields.keyring").fieldKeys(named: "films")
        let path = folder.file("films.db")
        var options = ConnectionOptions()
        options.fieldKeys = [keys]
        let connection = try Connection.open(
            path, key: open("database.keyring").databaseKey(for: path), options: options)
        #expect(throws: Stop.self) {
            try connection.unprotect("title", of: "film", keys: keys, batch: 1) { _ in throw Stop() }
        }
    }

    static let names = ["Sealed/begun-unseal", "Sealed/issue", "Sealed/release"]

    @Test("Transcript", arguments: Transcript.chosen(of: names))
    func transcript(name: String) async throws {
        let transcript = try Transcript(name)
        #expect(!transcript.steps.isEmpty)
        let folder = try Self.films()
        if name == "Sealed/begun-unseal" { try Self.beginUnsealing(folder) }
        try await transcript.run(in: folder)
    }
}
