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
        let connection = try Connection.open(
            path, key: database.activeDatabaseKey(), options: options)
        try connection.protect("title", of: "film", keys: fields)
        return folder
    }

    static let names = ["Sealed/issue", "Sealed/release"]

    @Test("Transcript", arguments: Transcript.chosen(of: names))
    func transcript(name: String) async throws {
        let transcript = try Transcript(name)
        #expect(!transcript.steps.isEmpty)
        try await transcript.run(in: Self.films())
    }
}
