import Lockstep
import TestServers
import Testing

@testable import LockstepPostgres

@Suite("Sealed columns that migrations rename and drop on servers", .withServer) struct ServerSealedNamesTests {
    private static let sealed = ServerScratch.up(
        """
        CREATE TABLE films (id bigint PRIMARY KEY, title text, cover text, year integer);
        -- lockstep: protect films.title dataset=films index=casefold
        -- lockstep: protect films.cover dataset=films
        -- lockstep: plaintext films.*
        """)

    private let keys: FieldKeys
    private let address: ServerAddress

    init() throws {
        keys = try SealedScratch.makeKeys()
        address = try TestServer.shared.get().address()
    }

    private func connection(isFirst: Bool = false, hasKeys: Bool = true) throws
        -> ServerConnection
    {
        var options = ServerOptions()
        if hasKeys { (options.fieldKeys, options.mayBeUnsealed) = ([keys], isFirst) }
        return try ServerConnection(address, .none, options)
    }

    @Test(
        "The registry follows, cells open and are found, and the schema is that of a fresh run")
    func follows() throws {
        let server = try connection(isFirst: true)
        _ = try ServerMigrator(ServerScratch.set(Self.sealed)).run(on: server)
        try server.insert("films", ["id": .integer(1), "title": .text("Alien"), "cover": .text("x")])
        let set = try ServerScratch.set(
            Self.sealed,
            ServerScratch.up(
                """
                ALTER TABLE films RENAME COLUMN title TO name;
                ALTER TABLE films RENAME TO movies;
                ALTER TABLE movies RENAME COLUMN id TO number;
                -- lockstep: plaintext movies.*
                """),
            ServerScratch.up(
                "-- lockstep: allow loss of column movies.cover\nALTER TABLE movies DROP COLUMN cover;"))
        _ = try ServerMigrator(set).run(on: server)
        try server.insert("movies", ["number": .integer(2), "name": .text("ALIEN")])
        let fresh = try connection()
        let title = Value.text("alien")
        let found = try fresh.query(
            "SELECT number, name FROM movies WHERE \(sealed: "movies.name", equals: title, under: .casefold) ORDER BY number"
        ) { try $0[1] as String }
        #expect(found == ["Alien", "ALIEN"])
        #expect(fresh.fields?.columns.values.map(\.column.title) == ["movies.name"])
        let report = try ServerVerification(sets: [set]).run(on: connection())
        #expect(report.isClean, "\(report.outcomes.filter(\.hasFailed))")
    }

    @Test(
        "What would leave cells that do not open, or are not found, is rolled back",
        arguments: [
            "ALTER TABLE films ALTER COLUMN title TYPE text USING NULL;",
            "ALTER TABLE films RENAME COLUMN title_casefold_token TO token;",
            "ALTER TABLE films DROP COLUMN title_casefold_token;",
            "ALTER TABLE films DROP CONSTRAINT films_pkey, ADD PRIMARY KEY (id, year);",
            "ALTER TABLE films DROP CONSTRAINT films_pkey;", "CREATE SCHEMA other; ALTER TABLE films SET SCHEMA other;",
        ])
    func refusedChanges(_ change: String) throws {
        let server = try connection(isFirst: true)
        let script = "ALTER TABLE films DROP CONSTRAINT lockstep_films_title_cell;\n\(change)"
        let set = try ServerScratch.set(Self.sealed, ServerScratch.up(script))
        let error = refused(.misuse) { _ = try ServerMigrator(set).run(on: server) }
        #expect(error?.context.file != nil)
        #expect(try ServerScratch.recorded(server) == ["1"])
        #expect(try connection().fields?.columns.count == 2)
    }

    @Test(
        "What no statement of a version has renamed or dropped is signed by nobody, and the version is rolled back",
        arguments: [
            "ALTER TABLE films RENAME title TO title_old; ALTER TABLE films ADD COLUMN title text",
            "ALTER TABLE films RENAME title TO name", "ALTER TABLE films RENAME TO movies",
            "ALTER TABLE films RENAME id TO number", "ALTER TABLE films DROP COLUMN cover", "DROP TABLE films",
        ],
        [
            "ALTER TABLE films ADD COLUMN rating integer;", "ALTER TABLE films RENAME COLUMN year TO released;",
            "-- lockstep: protect films.note dataset=films",
        ])
    func unsaid(_ change: String, _ version: String) throws {
        let server = try connection(isFirst: true)
        let first = Self.sealed.replacing("year integer", with: "year integer, note text")
        _ = try ServerMigrator(ServerScratch.set(first)).run(on: server)
        let operate = try connection(hasKeys: false)
        try operate.execute(
            ServerSQL(
                verbatim: """
                    CREATE FUNCTION spy() RETURNS event_trigger LANGUAGE plpgsql AS $spy$BEGIN
                        IF EXISTS (SELECT FROM pg_attribute WHERE attrelid = to_regclass('films') AND attname = 'cover')
                            AND NOT EXISTS (SELECT FROM pg_attribute WHERE attname = 'title_old')
                            AND EXISTS (SELECT FROM pg_attribute WHERE attrelid = to_regclass('films') AND attname = 'title')
                            AND EXISTS (SELECT FROM pg_attribute WHERE attrelid = to_regclass('films') AND attname = 'id')
                        THEN \(change); INSERT INTO lockstep_exposed VALUES ('films', 'title') ON CONFLICT DO NOTHING; END IF;
                    END$spy$
                    """))
        try operate.execute("CREATE EVENT TRIGGER spy ON ddl_command_end EXECUTE FUNCTION spy()")
        let set = try ServerScratch.set(first, ServerScratch.up(version))
        #expect(throws: LockstepError.self) { _ = try ServerMigrator(set).run(on: server) }
        #expect(try ServerScratch.recorded(server) == ["1"])
        try operate.execute("DROP EVENT TRIGGER spy")
        #expect(try connection().fields?.columns.values.map(\.column.title).sorted() == ["films.cover", "films.title"])
    }

    @Test("Without the keys a version that renames or drops one is rolled back; any other runs")
    func withoutKeys() throws {
        _ = try ServerMigrator(ServerScratch.set(Self.sealed)).run(
            on: connection(isFirst: true))
        let other = try connection(hasKeys: false)
        for change in [
            "ALTER TABLE films RENAME COLUMN title TO name;",
            "ALTER TABLE films DROP COLUMN cover;",
            "ALTER TABLE films RENAME TO movies;", "DROP TABLE films;",
        ] {
            refused(.keyUnavailable) {
                _ = try ServerMigrator(ServerScratch.set(Self.sealed, ServerScratch.up(change))).run(on: other)
            }
        }
        _ = try ServerMigrator(ServerScratch.set(Self.sealed, ServerScratch.up("CREATE INDEX y ON films (year);"))).run(
            on: other)
        #expect(try connection().fields?.columns.count == 2)
    }

    @Test("A table with sealed columns is dropped, and made again")
    func droppedTable() throws {
        let server = try connection(isFirst: true)
        let set = try ServerScratch.set(Self.sealed, ServerScratch.up("DROP TABLE films;"), Self.sealed)
        _ = try ServerMigrator(set).run(on: server)
        try server.insert("films", ["id": .integer(1), "title": .text("a")])
        #expect(
            try connection().query("SELECT id, title FROM films") { try $0[1] as String } == [
                "a"
            ])
        let report = try ServerVerification(sets: [set]).run(on: connection())
        #expect(report.isClean, "\(report.outcomes.filter(\.hasFailed))")
    }

    @Test("A column whose sealing a version has given up is compared with a fresh run as well") func givenUp() throws {
        let server = try connection(isFirst: true)
        let set = try ServerScratch.set(
            Self.sealed,
            ServerScratch.up(
                """
                -- lockstep: unprotect films.title dataset=films
                -- lockstep: unprotect films.cover dataset=films
                ALTER TABLE films ALTER COLUMN title TYPE text USING NULL;
                """))
        _ = try ServerMigrator(set).run(on: server)
        let report = try ServerVerification(sets: [set]).run(on: server)
        #expect(report.isClean, "\(report.outcomes.filter(\.hasFailed))")
        // Nothing guards the key any more.
        try server.execute("INSERT INTO films (id) VALUES (1)")
        try server.execute("UPDATE films SET id = 2")
    }
}
