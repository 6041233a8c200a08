import Foundation
import Lockstep
import LockstepPostgres
import Subprocess
import SystemPackage
import TestServers
import TestSupport
import Testing

/// `lockstep keys accept-database --url`.
@Suite("Acceptance of a server's database", .enabled(if: TestServer.isAvailable, "no PostgreSQL server can be started"))
struct ServerAcceptanceTests {
    private let films: SetFolder
    private let fields = "--fields films.db.keys/films.fields.keyring --key-file my.key"

    init() throws {
        films = try SetFolder([
            "0001_create.sqlite.sql": """
            -- lockstep: up
            CREATE TABLE movies (id INTEGER PRIMARY KEY, title TEXT);
            INSERT INTO movies VALUES (1, 'Casablanca');
            """,
            "0001_create.postgres.sql":
                "-- lockstep: up\nCREATE TABLE movies (id bigint PRIMARY KEY, title text);\n-- lockstep: plaintext movies.id",
            "0002_seal.sql": "-- lockstep: up\n-- lockstep: protect movies.title dataset=films",
        ])
    }

    private func expect(
        _ code: Int32, _ command: String, says words: String = "", _ location: SourceLocation = #_sourceLocation
    ) async throws {
        let result = try await films.run("exec lockstep \(command)")
        let text = result.text + result.errors
        #expect(
            result.status == .exited(code) && (words.isEmpty || text.contains(words)),
            "\(command): \(text)",
            sourceLocation: location)
    }

    private func makeFile() async throws {
        let made = try await films.run(
            """
            set -e
            lockstep keys create-key-file my.key
            lockstep init -d films.db --key-file my.key --dataset films
            lockstep migrate -d films.db --key-file my.key -m films --fields films
            """)
        try #require(made.status == .exited(0), "\(made.errors)")
    }

    @Test("A second database of the dataset is refused until the keyring accepts it as new")
    func second() async throws {
        try await makeFile()
        let server = try TestServer.shared.get()
        let (first, second) = ("\(try server.address())", "\(try server.address())")
        let copy = "copy -d films.db --to server -m films --key-file my.key"
        try await expect(0, "\(copy) --url '\(first)' --fields films")
        try await expect(0, "\(copy) --url '\(second)'")
        try await expect(0, "verify --url '\(first)' -m films \(fields)")
        let verify = "verify --url '\(second)' -m films \(fields)"
        try await expect(65, verify, says: "`lockstep keys accept-database`")
        let accept = "keys accept-database --url '\(second)'"
        try await expect(64, "\(accept) \(fields)", says: "--i-understand")
        try await expect(64, "\(accept) --i-understand --key-file my.key", says: "--fields")
        try await expect(65, "\(accept) --i-understand \(fields)", says: "add --new")
        try await expect(65, verify)
        try await expect(
            0, "\(accept) --i-understand --new \(fields)",
            says: "films.db.keys/films.fields.keyring remembers \(second) as it is now")
        try await expect(0, verify)
        // Nobody can put the first in its place, nor the second in that of the first.
        try await expect(0, "verify --url '\(first)' -m films \(fields)")
    }

    @Test(
        "An older state is refused until it is accepted, and one without its registry while cells are there"
    )
    func older() async throws {
        try await makeFile()
        let server = try TestServer.shared.get()
        let address = try server.address()
        try await expect(
            0, "copy -d films.db --url '\(address)' --to server -m films \(fields)")
        let connection = try ServerConnection(address)
        try connection.execute("CREATE SCHEMA aside")
        for table in ["lockstep_dataset", "lockstep_column"] {
            try connection.execute("CREATE TABLE aside.\(name: table) AS SELECT * FROM \(name: table)")
        }
        try films.write(
            "0003_more.sql",
            """
            -- lockstep: up
            CREATE TABLE notes (id bigint PRIMARY KEY, text bytea);
            -- lockstep: protect notes.text dataset=films
            -- lockstep: plaintext notes.id
            """)
        try await expect(0, "migrate --url '\(address)' -m films \(fields)")
        for table in ["lockstep_dataset", "lockstep_column"] {
            try connection.execute("DELETE FROM \(name: table)")
            try connection.execute(
                "INSERT INTO \(name: table) SELECT * FROM aside.\(name: table)")
        }
        try connection.execute("DROP TABLE notes")
        try connection.execute("DELETE FROM lockstep_migration WHERE version = '3'")
        try FileManager.default.removeItem(
            atPath: films.folder.file("films/0003_more.sql").string)
        let verify = "verify --url '\(address)' -m films \(fields)"
        let accept = "keys accept-database --url '\(address)' --i-understand \(fields)"
        try await expect(65, verify, says: "older than before")
        try await expect(0, accept, says: "as it is now")
        try await expect(0, verify)

        try connection.execute("DELETE FROM lockstep_dataset")
        try await expect(65, accept, says: "movies.title holds sealed cells")
        try connection.execute("DELETE FROM movies")
        try await expect(0, accept, says: "remembers that nothing is sealed in \(address)")
        // What the keyring does not remember cannot be accepted without its registry.
        try connection.execute("DROP TABLE lockstep_keyring")
        try await expect(65, "\(accept) --new", says: "nothing to accept")
    }
}
