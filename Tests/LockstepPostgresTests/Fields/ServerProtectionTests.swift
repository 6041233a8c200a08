import Lockstep
import TestServers
import Testing

@testable import LockstepPostgres

@Suite("Migrations that seal columns on servers", .withServer)
struct ServerProtectionTests {
    private static let table = """
        CREATE TABLE films (id bigint PRIMARY KEY, title text NOT NULL, year integer);
        """

    private func connection(_ keys: FieldKeys?) throws -> ServerConnection {
        var options = ServerOptions()
        if let keys { (options.fieldKeys, options.mayBeUnsealed) = ([keys], true) }
        return try ServerConnection(TestServer.shared.get().address(), .none, options)
    }

    @Test(
        "A version seals a column of an empty table, and names what is plaintext; the way down gives it up"
    )
    func upAndDown() throws {
        let server = try connection(SealedScratch.makeKeys())
        let set = try ServerScratch.set(
            ServerScratch.up(Self.table, down: "-- lockstep: allow loss of table films\nDROP TABLE films;"),
            ServerScratch.up(
                """
                -- lockstep: plaintext films.id
                -- lockstep: protect films.title dataset=films index=casefold
                ALTER TABLE films ADD COLUMN more text;
                -- lockstep: protect films.more dataset=films
                -- lockstep: plaintext films.year
                """,
                down: """
                    -- lockstep: unprotect films.more dataset=films
                    -- lockstep: unprotect films.title dataset=films
                    ALTER TABLE films ALTER COLUMN title TYPE text USING NULL, DROP COLUMN more;
                    -- lockstep: plaintext films.title
                    """))
        _ = try ServerMigrator(set).run(on: server)
        try server.insert(
            "films", ["id": .integer(1), "title": .text("a"), "more": .text("b")])
        #expect(
            try server.query("SELECT id, title, more FROM films") {
                try $0[1] as String + $0[2] as String
            }
                == ["ab"])
        try server.execute("TRUNCATE films")
        _ = try ServerMigrator(set).run(.downTo(MigrationVersion(1)), on: server)
        #expect(server.fields?.columns.isEmpty == true)
        try server.execute("INSERT INTO films VALUES (1, 'plain', 2)")
        refused(.misuse) { _ = try ServerMigrator(set).run(on: server) }
        try server.execute("TRUNCATE films")
        _ = try ServerMigrator(set).run(on: server)
        #expect(server.fields?.columns.count == 2)
    }

    @Test(
        "Without keys, with a column that nobody names, or after rows, a version is rolled back"
    )
    func rolledBack() throws {
        let seal = ServerScratch.up("-- lockstep: protect films.title dataset=films")
        let names = ServerScratch.up("-- lockstep: plaintext films.id\n-- lockstep: plaintext films.year")
        let keys = try SealedScratch.makeKeys()
        let create = ServerScratch.up(Self.table)
        refused(.keyUnavailable) {
            _ = try ServerMigrator(ServerScratch.set(create, seal, names)).run(
                on: connection(nil))
        }
        let server = try connection(keys)
        let error = refused(.exposed) {
            _ = try ServerMigrator(ServerScratch.set(create, seal)).run(on: server)
        }
        #expect(error?.message.contains("films.id, films.year") == true)
        #expect(error?.context.file != nil)
        #expect(try ServerScratch.recorded(server) == ["1"])
        #expect(server.fields?.columns.isEmpty == true)
        try server.execute("INSERT INTO films VALUES (1, 'plain', 2)")
        refused(.misuse) {
            _ = try ServerMigrator(ServerScratch.set(create, seal, names)).run(on: server)
        }
        try server.execute("TRUNCATE films")
        _ = try ServerMigrator(ServerScratch.set(create, seal, names)).run(on: server)
        #expect(server.fields?.columns.count == 1)
        // A later version that adds a column names it.
        let more = ServerScratch.up("ALTER TABLE films ADD COLUMN more text;")
        refused(.exposed) {
            _ = try ServerMigrator(ServerScratch.set(create, seal, names, more)).run(on: server)
        }
    }
}
