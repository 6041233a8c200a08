import Foundation
import Lockstep
import LockstepPostgres
import Subprocess
import SystemPackage
import TestServers
import TestSupport
import Testing

/// The commands for migrations with `--url`.
@Suite("Commands with a server", .enabled(if: TestServer.isAvailable, "no PostgreSQL server can be started"))
struct ServerCommandsTests {
    private let films: SetFolder

    init() throws {
        films = try SetFolder([
            "0001_create.sql": """
            -- lockstep: up
            CREATE TABLE movies (id bigint PRIMARY KEY, title text);
            -- lockstep: down
            -- lockstep: allow loss of table movies
            DROP TABLE movies;
            """,
            "0002_years.sql":
                "-- lockstep: up\nALTER TABLE movies ADD COLUMN year INTEGER CHECK (typeof(year) = 'integer');",
            "0002_years.postgres.sql":
                "-- lockstep: up\nALTER TABLE movies ADD COLUMN year bigint;\n-- lockstep: down\nALTER TABLE movies DROP COLUMN year;",
        ])
    }

    private func write(_ name: String, _ text: String) throws { try films.write(name, text) }

    private func run(_ command: String, url: String? = nil) async throws -> ToolShell.Result {
        try await films.run("exec lockstep \(command)" + (url.map { " -m films --url '\($0)'" } ?? ""))
    }

    @Test(
        "A folder is planned, applied once, shown and rolled back, with the files for the server"
    )
    func wholeWay() async throws {
        let address = try TestServer.shared.get().address()
        let url = "\(address)"
        let plan = try await run("plan", url: url)
        #expect(plan.status == .exited(3), "\(plan.errors)")
        #expect(
            plan.text.contains("up films 2 years")
                && plan.text.contains("ADD COLUMN year bigint"))
        #expect(try await run("status", url: url).status == .exited(3))
        let first = try await run("migrate", url: url)
        #expect(first.status == .exited(0), "\(first.errors)")
        #expect(first.text.contains("up films 1 create: 1 statement") && first.text.contains("up films 2 years"))
        #expect(try await run("migrate", url: url).text == "nothing to do\n")
        let status = try await run("status", url: url)
        #expect(status.status == .exited(0), "\(status.errors)")
        #expect(status.text.hasPrefix("\(url): PostgreSQL ") && status.text.contains("applied  2  years"))
        let json = try await run("status --format json", url: url)
        #expect(json.text.contains("\"server\""))
        let back = try await run("rollback --to none", url: url)
        #expect(back.status == .exited(0), "\(back.errors)")
        #expect(back.errors.contains("rows are lost") == false)
        let record = try await run("baseline --at 1 --accept-differences", url: url)
        #expect(
            record.text == "recorded 1 version of films as applied, up to 1\n",
            "\(record.errors)")
    }

    @Test("The engines' files are compared without a database, and with one as a warning") func engines() async throws {
        let alone = try await run("plan --engines both -m films")
        #expect(alone.status == .exited(0), "\(alone.errors)")
        #expect(
            alone.text == "films: the files for SQLite and PostgreSQL seal the same columns\n")
        try write(
            "0003_seal.sql", "-- lockstep: up\n-- lockstep: protect movies.title dataset=d")
        try write("0003_seal.postgres.sql", "-- lockstep: up\nSELECT 1;")
        let leak = try await run("plan --engines both -m films")
        #expect(leak.status == .exited(9))
        #expect(
            leak.text.hasPrefix(
                "films: the files for SQLite and PostgreSQL are out of step\nerror: 0003_seal.sql:2: `protect"
            ), "\(leak.text)")
        let json = try await run("plan --engines both -m films --format json")
        #expect(json.text.contains("\"rule\":\"sets-out-of-step\""))
        let url = try "\(TestServer.shared.get().address())"
        let warned = try await run("plan --brief", url: url)
        #expect(
            warned.status == .exited(3) && warned.text.contains("warning: 0003_seal.sql:2:"))
        #expect(try await run("plan --engines both", url: url).status == .exited(9))
        try write("0003_seal.sql", "-- lockstep: up\n-- lockstep: protekt movies.title")
        let other = try await run("plan --brief", url: url)
        #expect(other.status == .exited(3), "\(other.errors)")
        #expect(other.text.contains("warning: 0003_seal.sql:2:"), "\(other.text)")
        #expect(try await run("plan --engines both -m films").status == .exited(9))
        #expect(try await run("plan --engines both --to 1 -m films").status == .exited(64))
    }

    @Test("Versions are redone, rehearsed on a copy, and given up")
    func ways() async throws {
        let server = try TestServer.shared.get()
        let address = try server.address()
        let url = "\(address)"
        #expect(try await run("migrate", url: url).status == .exited(0))
        let redo = try await run("redo", url: url)
        #expect(redo.text.contains("down films 2 years") && redo.text.contains("up films 2 years"), "\(redo.errors)")
        let copy = try server.address()
        #expect(try await run("rehearse", url: url).status == .exited(64))
        let same = try await run("rehearse --on '\(url)'", url: url)
        #expect(same.status == .exited(64), "\(same.errors)")
        #expect(same.errors.contains("is the database itself"))
        #expect(try await run("migrate", url: "\(copy)").status == .exited(0))
        try write(
            "0003_more.postgres.sql",
            "-- lockstep: up\n-- lockstep: no transaction\nINSERT INTO movies (id) VALUES (1);\nSELECT 1/0;")
        let rehearsed = try await run("rehearse --on '\(copy)'", url: url)
        #expect(rehearsed.status == .exited(1), "\(rehearsed.text)")
        #expect(rehearsed.text.hasSuffix("FAILED on the copy; \(url) is unchanged\n"))
        let begun = try await run("status", url: "\(copy)")
        #expect(begun.text.contains("begun"), "\(begun.text)")
        let given = try await run("migrate --abandon 3", url: "\(copy)")
        #expect(
            given.text == "gave up films 3 more: what has run of it stays\n", "\(given.errors)")
        let none = try await run("migrate --abandon 3", url: url)
        #expect(none.status == .exited(66), "\(none.errors)")
    }

    @Test("What is wrong is said with its exit code, and a password is not repeated") func refusals() async throws {
        let server = try TestServer.shared.get()
        let url = try "\(server.address())"
        let secret = try await run("migrate", url: "postgres://app:s3cret@db/films")
        #expect(secret.status == .exited(64) && !secret.errors.contains("s3cret"))
        #expect(secret.errors.contains("--password-file"))
        let none = try await run("status", url: "postgres:///films?host=\(films.folder.path)")
        #expect(none.status == .exited(75), "\(none.errors)")
        let missing = try await run("status", url: "postgres://postgres@/no_such?host=\(server.folder)")
        #expect(missing.status == .exited(66), "\(missing.errors)")
        #expect(try await run("migrate --safe", url: url).status == .exited(64))
        #expect(try await run("migrate --database x", url: url).status == .exited(64))
        #expect(try await run("baseline --at 1", url: url).status == .exited(64))
        #expect(try await run("status --schema s").status == .exited(64))
        try write("0003_copy.sql", "-- lockstep: up\nSELECT 1;\nCOMMIT;")
        let refused = try await run("plan", url: url)
        #expect(refused.status == .exited(9), "\(refused.errors)")
        #expect(refused.text.contains("error: films/0003_copy.sql:3: COMMIT"))
        try write("0003_copy.sql", "-- lockstep: up\nSELECT 1/0;")
        let failed = try await run("migrate", url: url)
        #expect(failed.status == .exited(7) && failed.text.contains("up films 2 years"), "\(failed.errors)")
    }
}
