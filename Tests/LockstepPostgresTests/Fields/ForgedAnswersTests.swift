import Lockstep
import TestServers
import Testing

@testable import LockstepPostgres

@Suite("Answers that an operator has put in the place of others", .withServer)
struct ForgedAnswersTests {
    private let scratch: SealedScratch

    init() throws {
        scratch = try SealedScratch()
        let server = try scratch.connection()
        try server.insert(
            "films", ["title", "year"], [[.text("Alien"), .integer(1979)], [.text("Brazil"), .integer(1985)]])
        try server.execute("CREATE TABLE books (id bigint PRIMARY KEY, title text)")
        try server.execute("INSERT INTO books VALUES (1, 'Dune')")
    }

    private static let view = """
        CREATE VIEW pg_catalog.films AS SELECT id, 'FORGED' AS title, year, NULL::bytea AS cover FROM public.films
        """

    @Test(
        "Another relation in the place of the table is an error, whatever the result's columns are named",
        arguments: [
            "SELECT id, title FROM films", "SELECT id, title AS t FROM films", "SELECT id, title t FROM films",
            "SELECT * FROM films WHERE id = 1", "SELECT id, t FROM (SELECT id, title AS t FROM films) AS x",
            "WITH x AS (SELECT id, title AS t FROM films) SELECT id, t AS u FROM x",
            "SELECT f.id, f.title FROM films AS f JOIN books ON books.id = f.id",
        ],
        [
            [view],
            [
                "ALTER TABLE films RENAME TO films_before",
                "CREATE TABLE films AS SELECT id, 'FORGED'::text AS title, year, NULL::bytea AS cover FROM films_before",
            ],
        ])
    func replaced(_ sql: String, _ changes: [String]) throws {
        let server = try scratch.connection()
        let operate = try scratch.operate()
        try operate.execute("SET allow_system_table_mods = on")
        #expect(try server.query(ServerSQL(verbatim: sql)) { _ in }.isEmpty == false)
        for change in changes { try operate.execute(ServerSQL(verbatim: change)) }
        #expect(throws: LockstepError.self) { _ = try server.query(ServerSQL(verbatim: sql)) { _ in } }
        let title = Value.text("Alien")
        #expect(throws: LockstepError.self) {
            _ = try server.query("SELECT id, title FROM films WHERE \(sealed: "films.title", equals: title)") { _ in }
        }
    }

    @Test("Columns of the same name in other tables that a statement names are read, as are all others")
    func others() throws {
        let server = try scratch.connection()
        let both = try server.query("SELECT f.id, f.title, b.title FROM films AS f JOIN books AS b ON b.id = f.id") {
            (try $0[1] as String, try $0[2] as String)
        }
        #expect(both.map(\.0) == ["Alien"] && both.map(\.1) == ["Dune"])
        #expect(try server.query("SELECT title FROM books") { try $0[0] as String } == ["Dune"])
        #expect(try server.query("SELECT count(title), max(year) FROM films") { try $0[0] as Int } == [2])
        #expect(
            try server.query("SELECT id, title IS NULL, length(title) > 9 FROM films") { try $0[1] as Bool } == [
                false, false,
            ])
        refused(.misuse) { _ = try server.query("SELECT id, year AS title FROM films") { _ in } }
    }

    @Test("Bytes that look like a cell are bytes where nothing says that a column is sealed")
    func uploads() throws {
        let server = try scratch.connection()
        let operate = try scratch.operate()
        try operate.execute("CREATE TABLE upload (id int PRIMARY KEY, data bytea)")
        try operate.execute("INSERT INTO upload SELECT id, title FROM films")
        try operate.execute("CREATE VIEW uploads AS SELECT id, data FROM upload")
        for table in ["upload", "uploads"] {
            let found = try server.query(ServerSQL(verbatim: "SELECT id, data, coalesce(data, '') FROM \(table)")) {
                try $0[1] as [UInt8]
            }
            #expect(found.count == 2 && found.allSatisfy { $0.count > 20 })
        }
        let beside = try server.query("SELECT u.data, f.id, f.title FROM upload AS u JOIN films AS f ON f.id = u.id") {
            try $0[2] as String
        }
        #expect(beside.count == 2)
    }

    @Test(
        "A row that a trigger leaves out, or gives another key, is an error, and leaves none of its rows",
        arguments: [1, 3, 40], ["RETURN NULL", "NEW.id := NEW.id + 1000; RETURN NEW"])
    func leftOut(_ count: Int, _ body: String) throws {
        let operate = try scratch.operate()
        try operate.execute("DELETE FROM films")
        try operate.execute(
            ServerSQL(
                verbatim:
                    "CREATE FUNCTION odd() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN IF NEW.year = 1 THEN \(body); END IF; RETURN NEW; END$$"
            ))
        try operate.execute("CREATE TRIGGER odd BEFORE INSERT ON films FOR EACH ROW EXECUTE FUNCTION odd()")
        let server = try scratch.connection()
        let rows: [[Value]] = (1...count).map { [.text("t\($0)"), .integer($0 == count ? 1 : 2)] }
        refused(.sqlFailed) { try server.insert("films", ["title", "year"], rows) }
        if count > 1 { #expect(try server.value("SELECT count(*) FROM films") == 0) }
        try operate.execute("DELETE FROM films")
        let others = rows.map { [$0[0], .integer(3)] }
        #expect(try server.insert("films", ["title", "year"], others).count == count)
        #expect(try server.query("SELECT id, title FROM films WHERE year = 3") { try $0[1] as String }.count == count)
    }

    @Test("A trigger that leaves rows out leaves none where COPY would take them")
    func copied() throws {
        let server = try scratch.connection()
        let keys = try server.insert("films", ["title"], (0..<100).map { [.text("x\($0)")] })
        #expect(keys.count == 100 && Set(keys).count == 100)
    }
}
