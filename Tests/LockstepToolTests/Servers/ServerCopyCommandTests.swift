import Foundation
import Lockstep
import LockstepPostgres
import Subprocess
import SystemPackage
import TestServers
import TestSupport
import Testing

/// `lockstep copy`, and `lockstep verify --url`.
@Suite("Copies to a server by the tool", .enabled(if: TestServer.isAvailable, "no PostgreSQL server can be started"))
struct ServerCopyCommandTests {
    private let films: SetFolder

    init() throws {
        films = try SetFolder([
            "0001_create.sqlite.sql": """
            -- lockstep: up
            CREATE TABLE movies (id INTEGER PRIMARY KEY, title TEXT, year INTEGER);
            INSERT INTO movies VALUES (1, 'Casablanca', 1942), (2, 'Alien', 1979);
            """,
            "0001_create.postgres.sql":
                "-- lockstep: up\nCREATE TABLE movies (id bigint PRIMARY KEY, title text, year bigint);",
            "0002_seal.sql": "-- lockstep: up\n-- lockstep: protect movies.title dataset=films",
        ])
    }

    private func run(_ script: String) async throws -> ToolShell.Result {
        try await films.run(script)
    }

    @Test(
        "A database goes to a server and back, each place verifies, and each refusal says what to do"
    )
    func wholeWay() async throws {
        let url = "\(try TestServer.shared.get().address())"
        let made = try await run(
            """
            set -e
            lockstep keys create-key-file my.key
            lockstep init -d films.db --key-file my.key --dataset films
            lockstep migrate -d films.db --key-file my.key -m films --fields films
            """)
        #expect(made.status == .exited(0), "\(made.errors)")
        let copy = "lockstep copy -d films.db --url '\(url)' --to server -m films --key-file my.key --fields films"
        let exposed = try await run(copy)
        #expect(exposed.status == .exited(1))
        #expect(exposed.errors.contains("movies.id, movies.year"))
        #expect(exposed.errors.contains("-- lockstep: plaintext movies.year"))
        let copied = try await run("\(copy) --plaintext movies.id,movies.year")
        #expect(copied.status == .exited(0), "\(copied.errors)")
        #expect(copied.text.contains("equal on both sides"))
        let again = try await run("\(copy) --plaintext 'movies.*'")
        #expect(again.status == .exited(1))
        #expect(again.errors.contains("CREATE SCHEMA"))
        let fields = "--fields films.db.keys/films.fields.keyring --key-file my.key"
        let verified = try await run("lockstep verify --url '\(url)' -m films \(fields)")
        #expect(verified.status == .exited(0), "\(verified.text)\(verified.errors)")
        #expect(verified.text.contains("verified: everything holds"))
        let query = "lockstep query --url '\(url)'"
        let open = try await run(
            "\(query) 'SELECT id, title FROM movies ORDER BY id' \(fields)")
        #expect(open.text == "id  title\n1   Casablanca\n2   Alien\n", "\(open.errors)")
        let cells = try await run("\(query) 'SELECT title FROM movies' --format json")
        #expect(cells.status == .exited(0) && !cells.text.contains("Alien"))
        let none = try await run("\(query) 'TABLE movies LIMIT 0' --format json \(fields)")
        #expect(none.text == "{\"columns\":[\"id\",\"title\",\"year\"],\"rows\":[]}\n", "\(none.text)\(none.errors)")
        let many = try await run(
            "\(query) 'SELECT * FROM generate_series(1, 1201)' --format json")
        #expect(many.text.hasSuffix(",[1200],[1201]]}\n"), "\(many.errors)")
        #expect(
            try await run("\(query) 'SHOW server_encoding'").text == "server_encoding\nUTF8\n")
        let late = try await run("\(query) 'SELECT pg_sleep(600)' --timeout 700ms")
        #expect(late.errors.contains("--timeout 700ms"), "\(late.errors)")
        let soon = try await run("\(query) 'SELECT 1 AS one' --timeout 500ms")
        #expect(soon.text == "one\n1\n" || soon.errors.contains("--timeout"), "\(soon.errors)")
        for (statement, code, words) in [
            ("DELETE FROM movies", 64, "begins with SELECT"),
            ("WITH gone AS (DELETE FROM movies RETURNING 1) SELECT 1", 1, "data-modifying"),
            ("EXPLAIN ANALYZE DELETE FROM movies", 1, "read-only transaction"),
            ("SELECT 1; DELETE FROM movies", 1, "multiple commands"), ("SELECT title FROM movies", 64, "add movies.id"),
        ] as [(String, Int32, String)] {
            let refused = try await run("\(query) '\(statement)' \(fields)")
            #expect(
                refused.status == .exited(code) && refused.errors.contains(words), "\(refused.text)\(refused.errors)")
        }
        let back = try await run(
            """
            lockstep init -d back.db --key-file my.key && lockstep copy -d back.db --url '\(url)' --to file -m films \(fields) \\
                && lockstep verify -d back.db -m films \(fields)
            """)
        #expect(back.status == .exited(0), "\(back.text)\(back.errors)")
        for mistake in [
            "lockstep copy -d films.db --to server -m films", "lockstep copy -d films.db --url '\(url)' -m films",
            "lockstep copy -d back.db --url '\(url)' --to file --plaintext a.b -m films",
            "lockstep verify --url '\(url)' --deep",
        ] {
            #expect(try await run(mistake).status == .exited(64))
        }
        let server = try ServerConnection(ServerAddress(url))
        try server.execute("ALTER TABLE movies ADD COLUMN more text")
        let drifted = try await run("lockstep verify --url '\(url)' -m films \(fields)")
        #expect(drifted.status == .exited(4), "\(drifted.text)")
    }

    @Test(
        "A set that seals is migrated on a server with its fields keyring, which then remembers the server"
    )
    func migrateSealing() async throws {
        let url = "\(try TestServer.shared.get().address())"
        try films.write(
            "0002_seal.postgres.sql",
            "-- lockstep: up\n-- lockstep: protect movies.title dataset=films\n-- lockstep: plaintext movies.*\n")
        let made = try await run(
            "lockstep keys create-key-file my.key && lockstep keys init --dataset films --keys Keys --key-file my.key")
        #expect(made.status == .exited(0), "\(made.errors)")
        let migrate = "lockstep migrate --url '\(url)' -m films"
        let fields = "--fields Keys/films.fields.keyring --key-file my.key"
        #expect(try await run(migrate).status != .exited(0))
        #expect(try await run("\(migrate) \(fields)").status != .exited(0))
        let first = try await run("\(migrate) \(fields) --first-time")
        #expect(first.status == .exited(0), "\(first.errors)")
        let again = try await run("\(migrate) \(fields)")
        #expect(again.status == .exited(0), "\(again.errors)")
        let verified = try await run("lockstep verify --url '\(url)' -m films \(fields)")
        #expect(verified.status == .exited(0), "\(verified.text)\(verified.errors)")
        let server = try ServerConnection(ServerAddress(url))
        try server.execute("DELETE FROM lockstep_dataset")
        #expect(try await run("\(migrate) \(fields)").status == .exited(65))
    }
}
