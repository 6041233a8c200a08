import Lockstep
import TestServers
import TestSupport
import Testing

@testable import LockstepPostgres

@Suite("Copies to servers and back", .withServer)
struct ServerCopyTests {
    private struct Ended: Error {}

    @Test("A database goes to a server, is written there, and comes back, every cell as it was")
    func roundTrip() throws {
        let scratch = try CopyScratch()
        try scratch.fill(40)
        let address = try TestServer.shared.get().address()
        let server = try ServerConnection(address)
        let report = try ServerCopy([scratch.set(.postgres)]).run(
            from: scratch.file, to: server)
        let rows = report.tables.map(\.rows).reduce(0, +)
        #expect(rows == 87)
        #expect(try CopyScratch.cells(on: server) == scratch.cells())
        #expect(try CopyState(schema: "public").read(server) == nil)

        var options = ServerOptions()
        (options.fieldKeys, options.mayBeUnknown) = ([scratch.keys], true)
        let opened = try ServerConnection(address, .none, options)
        let title = Value.text("FILM 7")
        let found = try opened.query(
            "SELECT id, title, seen, made::text FROM films WHERE \(sealed: "films.title", equals: title, under: .casefold)"
        ) { (try $0[0] as Int, try $0[1] as String, try $0[2] as Bool, try $0[3] as String) }
        #expect(found.count == 1)
        let first = try #require(found.first)
        #expect(first == (21, "film 7", true, "1970-01-01 01:56:40.000049+00"))
        let key = try opened.insert("films", ["title": .text("new"), "year": .integer(2000), "seen": .integer(1)])
        #expect(key == [.integer(121)])
        try opened.execute("DELETE FROM tag WHERE film = 3")

        let back = try Connection.inMemory()
        let second = try ServerCopy([scratch.set(.sqlite)]).run(from: server, to: back)
        #expect(second.origin == report.database)
        let logs = [report, second].map { $0.tables.first { $0.name == "log" }?.digest }
        #expect(logs[0] == logs[1])
        let cells = try back.query(
            "SELECT id, title, cover, title_casefold_token FROM films WHERE id < 121 ORDER BY id"
        ) { row in try (0..<4).map { try row[$0] as Value } }
        #expect(try cells == scratch.cells())
        #expect(try back.value("SELECT count(*) FROM tag", as: Int.self) == 39)
        #expect(try Ledger.entries(back).map(\.version.description) == ["1", "2"])
        #expect(try back.value("SELECT count(*) FROM log", as: Int.self) == 4)
        refused(.alreadyExists) {
            _ = try ServerCopy([scratch.set(.sqlite)]).run(from: server, to: back)
        }
    }

    @Test("A copy that ends before any of its commits goes on there, with every row once") func kills() throws {
        let scratch = try CopyScratch()
        try scratch.fill(Torture.isLong ? 600 : 120)
        let address = try TestServer.shared.get().address()
        var copy = try ServerCopy([scratch.set(.postgres)])
        copy.chunk = 700
        var ends = 0
        // The runs end at one of their first twelve steps in turn, some of them before they commit anything.
        while ends < 1000 {
            let server = try ServerConnection(address)
            let counter = Counter(ends % 12)
            copy.observe = { _ in if counter.isDone() { throw Ended() } }
            do {
                _ = try copy.run(from: scratch.file, to: server)
                break
            } catch is Ended {
                ends += 1
                let isOpen = server.isInTransaction
                #expect(!isOpen)
            }
        }
        #expect(ends >= 8)
        #expect(try CopyScratch.cells(on: ServerConnection(address)) == scratch.cells())
    }

    @Test(
        "While a copy is not finished nobody migrates its target, and it goes on from the same versions alone"
    )
    func halfDone() throws {
        var files: [(name: String, content: String)] = [
            ("0001_studios.sqlite.sql", CopyScratch.studios),
            ("0001_studios.postgres.sql", CopyScratch.studiosOnServers),
        ]
        let scratch = try CopyScratch(files)
        try scratch.file.execute("INSERT INTO log VALUES ('a')")
        let server = try TestServer.connection()
        files.append(("0002_more.sql", "-- lockstep: up\nINSERT INTO log VALUES ('b');"))
        let set = try MigrationSet(name: "films", files: files, engine: .postgres)
        var copy = ServerCopy([set])
        copy.observe = { if $0 == .comparing { throw Ended() } }
        #expect(throws: Ended.self) { _ = try copy.run(from: scratch.file, to: server) }
        for target in [Plan.Target.latest, .back(1)] {
            let error = refused(.misuse) { _ = try ServerMigrator(set).run(target, on: server) }
            #expect(error?.message.contains("is not finished") == true)
        }
        refused(.misuse) {
            _ = try ServerBaseline(set, at: MigrationVersion(2)).record(on: server)
        }
        var report = MigrationReport()
        let newer = try MigrationSet(name: "films", files: files, engine: .sqlite)
        try Migrator(newer).run(on: scratch.file, into: &report)
        copy.observe = { _ in }
        let error = refused(.copyDiffers) { _ = try copy.run(from: scratch.file, to: server) }
        #expect(error?.message.contains("films 2, and 1 was copied") == true)
    }

    /// Ends a run after some commits.
    private final class Counter: @unchecked Sendable {
        private var left: Int
        init(_ left: Int) { self.left = left }
        func isDone() -> Bool {
            left -= 1
            return left < 0
        }
    }

    @Test("What does not cross is named by its place, before any row is copied")
    func obstacles() throws {
        let scratch = try CopyScratch()
        try scratch.fill(2)
        for (change, undo, place) in [
            (
                "UPDATE main.films SET year = 40000 WHERE id = 6",
                "UPDATE main.films SET year = 1 WHERE id = 6", "films.year"
            ),
            (
                "UPDATE main.films SET year = 'secret' WHERE id = 6",
                "UPDATE main.films SET year = 1 WHERE id = 6", "films.year"
            ),
            (
                "UPDATE main.films SET seen = 2 WHERE id = 6",
                "UPDATE main.films SET seen = 1 WHERE id = 6", "films.seen"
            ),
            (
                "UPDATE main.films SET score = 'secret' WHERE id = 6",
                "UPDATE main.films SET score = 1.5 WHERE id = 6", "films.score"
            ),
            (
                "UPDATE main.films SET made = -9223372036854775808 WHERE id = 6",
                "UPDATE main.films SET made = 1 WHERE id = 6", "films.made"
            ),
            ("INSERT INTO log VALUES (char(0))", "DELETE FROM log", "log.line"),
            ("INSERT INTO log VALUES (CAST(x'ff' AS TEXT))", "DELETE FROM log", "log.line"),
            ("INSERT INTO log VALUES (x'00')", "DELETE FROM log", "log.line"),
        ] {
            try scratch.file.execute(SQL(verbatim: change))
            let server = try TestServer.connection()
            let error = refused(.typeMismatch) {
                _ = try ServerCopy([scratch.set(.postgres)]).run(from: scratch.file, to: server)
            }
            #expect(error?.message.contains(place) == true)
            #expect(error?.message.contains("secret") == false)
            let names = error?.message.contains("the row 6") == true
            #expect(names == (place != "log.line"))
            #expect(try server.value("SELECT count(*) FROM films") == 0)
            #expect(try server.value("SELECT count(*) FROM log") == 0)
            try scratch.file.execute(SQL(verbatim: undo))
        }
    }

    @Test(
        "A target that has tables, a set that is missing and a column that would be plaintext are refused"
    )
    func refusals() throws {
        let scratch = try CopyScratch()
        try scratch.fill(1)
        let server = try TestServer.connection()
        try server.execute("CREATE TABLE x ()")
        refused(.alreadyExists) {
            _ = try ServerCopy([scratch.set(.postgres)]).run(from: scratch.file, to: server)
        }
        refused(.migrationMissing) {
            _ = try ServerCopy([]).run(from: scratch.file, to: TestServer.connection())
        }
        refused(.misuse) {
            _ = try ServerCopy([]).run(from: Connection.inMemory(), to: TestServer.connection())
        }
        for table in ["fts5(word)", "fts5(content)", "fts5(content, content='')"] {
            try scratch.file.execute("CREATE VIRTUAL TABLE words USING \(verbatim: table)")
            try scratch.file.execute("INSERT INTO words VALUES ('one')")
            refused(.typeMismatch) {
                _ = try ServerCopy([scratch.set(.postgres)]).run(from: scratch.file, to: TestServer.connection())
            }
            try scratch.file.execute("DROP TABLE words")
        }
        let silent = try CopyScratch([
            ("0001_a.sql", "-- lockstep: up\nCREATE TABLE a (id bigint PRIMARY KEY NOT NULL, v text, w text);\n")
        ])
        try silent.file.execute("INSERT INTO a VALUES (1, 'x', 'y')")
        let target = try TestServer.connection()
        var copy = try ServerCopy([silent.set(.postgres)])
        copy.plaintext = ["a.id", "A.v"]
        let error = refused(.exposed) { _ = try copy.run(from: silent.file, to: target) }
        #expect(error?.message.contains("a.w") == true)
        #expect(error?.message.contains("a.v") == false)
        copy.plaintext = ["a.*"]
        _ = try copy.run(from: silent.file, to: target)
        #expect(try target.value("SELECT v FROM a") == "x")
        copy.plaintext = ["a"]
        refused(.misuse) { _ = try copy.run(from: silent.file, to: TestServer.connection()) }
        refused(.alreadyExists) { _ = try copy.run(from: silent.file, to: target) }
    }

    private static func small(_ file: String, _ server: String) throws -> CopyScratch {
        try CopyScratch([
            ("0001_a.sqlite.sql", "-- lockstep: up\n\(file)\n"),
            ("0001_a.postgres.sql", "-- lockstep: up\n\(server)\n"),
        ])
    }

    @Test(
        "What the server would refuse of a value is an error with table, key and column, before any row goes",
        arguments: [
            ("varchar(5)", "'abcdefgh'"), ("varchar(2)", "'äöü'"), ("text NOT NULL", "NULL"),
        ])
    func unfitValues(_ type: String, _ value: String) throws {
        let scratch = try Self.small(
            "CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT);",
            "CREATE TABLE a (id bigint PRIMARY KEY); CREATE TABLE t (id bigint PRIMARY KEY, v \(type));")
        try scratch.file.execute("INSERT INTO a VALUES (1)")
        try scratch.file.execute(SQL(verbatim: "INSERT INTO t VALUES (1, 'ab'), (7, \(value))"))
        let server = try TestServer.connection()
        var copy = try ServerCopy([scratch.set(.postgres)])
        copy.plaintext = ["a.*", "t.*"]
        let error = refused(.typeMismatch) { _ = try copy.run(from: scratch.file, to: server) }
        #expect(error?.message.contains("t.v") == true && error?.message.contains("row 7") == true)
        #expect(try server.value("SELECT count(*) FROM a") == 0)
    }

    @Test("Triggers are as the set has left them, and none works on the rows that come")
    func triggers() throws {
        let made = ["a", "b", "c"].map { "CREATE TRIGGER \($0) BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION f();" }
        let scratch = try Self.small(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT);",
            """
            CREATE TABLE t (id bigint PRIMARY KEY, v text);
            CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'begin new.v := ''changed''; return new; end';
            \(made.joined(separator: "\n"))
            ALTER TABLE t DISABLE TRIGGER b;
            ALTER TABLE t ENABLE ALWAYS TRIGGER c;
            """)
        try scratch.file.execute("INSERT INTO t VALUES (1, 'x')")
        let server = try TestServer.connection()
        var copy = try ServerCopy([scratch.set(.postgres)])
        copy.plaintext = ["t.*"]
        _ = try copy.run(from: scratch.file, to: server)
        #expect(try server.value("SELECT v FROM t") == "x")
        let states: String? = try server.value(
            "SELECT string_agg(tgenabled::text, '' ORDER BY tgname) FROM pg_trigger WHERE tgrelid = 't'::regclass")
        #expect(states == "ODA")
    }

    @Test("What the server says that is plaintext counts for nothing: only the sets and the options name a column")
    func exposedByServer() throws {
        let scratch = try Self.small(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT);", "CREATE TABLE t (id bigint PRIMARY KEY, v text);")
        try scratch.file.execute("INSERT INTO t VALUES (1, 'x')")
        let server = try TestServer.connection()
        try server.execute(
            """
            CREATE FUNCTION spy() RETURNS event_trigger LANGUAGE plpgsql AS $$BEGIN
                IF EXISTS (SELECT FROM pg_class WHERE relname = 'lockstep_exposed') THEN
                    INSERT INTO lockstep_exposed VALUES ('t', '*') ON CONFLICT DO NOTHING;
                END IF;
                IF EXISTS (SELECT FROM pg_class WHERE relname = 't') THEN UPDATE lockstep_copy SET rows = 1 WHERE name = ''; END IF;
            END$$
            """)
        try server.execute("CREATE EVENT TRIGGER spy ON ddl_command_end EXECUTE FUNCTION spy()")
        var copy = try ServerCopy([scratch.set(.postgres)])
        copy.plaintext = ["t.id"]
        for _ in 1...2 {
            let error = refused(.exposed) { _ = try copy.run(from: scratch.file, to: server) }
            #expect(error?.message.contains("t.v") == true)
        }
        #expect(try server.value("SELECT count(*) FROM t") == 0)
    }

    @Test("New rows get numbers after those of rows that are gone, there and back")
    func numbers() throws {
        let scratch = try CopyScratch()
        try scratch.fill(4)
        try scratch.file.execute("INSERT INTO films (id, year, seen) VALUES (900, 1, 0)")
        try scratch.file.execute("DELETE FROM films WHERE id = 900")
        let server = try TestServer.connection()
        _ = try ServerCopy([scratch.set(.postgres)]).run(from: scratch.file, to: server)
        try server.execute("INSERT INTO films (year, seen) VALUES (1, true)")
        #expect(try server.value("SELECT max(id) FROM films") == 901)
        try server.execute("DELETE FROM films WHERE id = 901")
        let back = try Connection.inMemory()
        _ = try ServerCopy([scratch.set(.sqlite)]).run(from: server, to: back)
        try back.execute("INSERT INTO films (year, seen) VALUES (1, 0)")
        #expect(try back.value("SELECT max(id) FROM films", as: Int.self) == 902)
    }

    @Test("A copy to a file takes no older state than a connection with the keys does")
    func olderState() throws {
        let scratch = try CopyScratch()
        try scratch.fill(3)
        let server = try TestServer.connection()
        _ = try ServerCopy([scratch.set(.postgres)]).run(from: scratch.file, to: server)
        var copy = try ServerCopy([scratch.set(.sqlite)])
        copy.fieldKeys = [scratch.keys]
        _ = try copy.run(from: server, to: Connection.inMemory())
        try server.execute("UPDATE lockstep_dataset SET changes = changes - 1")
        refused(.registryForged) { _ = try copy.run(from: server, to: Connection.inMemory()) }
    }

    @Test(
        "Rows that a policy hides, and tables that the file has not, are refused on the way to a file"
    )
    func hiddenRows() throws {
        let scratch = try CopyScratch()
        try scratch.fill(3)
        let shared = try TestServer.shared.get()
        let address = try shared.address()
        let server = try ServerConnection(address)
        _ = try ServerCopy([scratch.set(.postgres)]).run(from: scratch.file, to: server)
        let role =
            "reader_\(try #require(server.value("SELECT current_database()") as String?))"
        try server.execute("CREATE ROLE \(name: role) LOGIN")
        try server.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO \(name: role)")
        try server.execute("CREATE POLICY few ON films USING (id < 9)")
        try server.execute("ALTER TABLE films ENABLE ROW LEVEL SECURITY")
        let database = try #require(server.value("SELECT current_database()") as String?)
        let reader = try ServerConnection(shared.address(of: database, user: role))
        #expect(try reader.value("SELECT count(*) FROM films") == 2)
        let copy = try ServerCopy([scratch.set(.sqlite)])
        let hidden = refused(.denied) {
            _ = try copy.run(from: reader, to: Connection.inMemory())
        }
        #expect(hidden?.message.contains("row-level security") == true)
        let report = try ServerVerification().run(on: reader)
        let seen = report.outcomes.filter { $0.obstacle?.code == .denied }.map(\.check.rawValue)
        #expect(seen.contains("shape"))

        try server.execute("CREATE TABLE more (id int)")
        let owner = Connection.inMemory
        _ = try copy.run(from: server, to: owner(ConnectionOptions()))
        try server.execute("INSERT INTO more VALUES (1)")
        let other = refused(.typeMismatch) {
            _ = try copy.run(from: server, to: Connection.inMemory())
        }
        #expect(other?.message.contains("table more has rows") == true)
        var less = copy
        less.leavingOut = ["more"]
        _ = try less.run(from: server, to: Connection.inMemory())
    }

    @Test(
        "Rows that somebody changes meanwhile are found at the end, and the copy does not count"
    )
    func differing() throws {
        let scratch = try CopyScratch()
        try scratch.fill(30)
        let address = try TestServer.shared.get().address()
        var copy = try ServerCopy([scratch.set(.postgres)])
        copy.observe = {
            guard $0 == .committing else { return }
            let other = try ServerConnection(address)
            try other.execute("UPDATE films SET year = 1 WHERE id = 9")
        }
        // The tags come after the films.
        let server = try ServerConnection(address)
        let error = refused(.copyDiffers) { _ = try copy.run(from: scratch.file, to: server) }
        #expect(error?.message.contains("the row 9 is the first") == true)
        #expect(try EngineTable.kind(StoredTable.datasets.name, in: "public", server) == nil)
    }
}
