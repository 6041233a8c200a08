import Lockstep
import TestServers
import Testing

@testable import LockstepPostgres

@Suite("Many rows for servers", .withServer)
struct ServerInsertionTests {
    /// The table of `SealedScratch` with a column beside it, of a type that decides how many rows go in.
    private func scratch(_ type: String) throws -> SealedScratch {
        let scratch = try SealedScratch()
        try scratch.operate().execute(ServerSQL(verbatim: "ALTER TABLE films ADD COLUMN more \(type)"))
        return scratch
    }

    private func insert(
        _ rows: [(title: String, year: Int64)], _ server: borrowing ServerConnection
    ) throws -> [[Value]] {
        try server.insert(
            "films", ["title", "year", "more", "cover", "label"],
            rows.map {
                [.text($0.title), .integer($0.year), .integer(7), .blob([1, 2]), .null]
            })
    }

    // COPY does not take what only a numeric's own texts say.
    @Test(
        "The same rows are there whether they go by COPY or as INSERTs, with the keys that are returned",
        arguments: ["smallint", "numeric"])
    func bothWays(_ type: String) throws {
        let scratch = try scratch(type)
        let server = try scratch.connection()
        let rows = (0..<700).map { (title: "film \($0)", year: Int64($0)) }
        let keys = try insert(rows, server)
        let read = try server.query(
            "SELECT id, title, year, more::text, cover, label FROM films ORDER BY year"
        ) { row in
            #expect(try row[3] as String == "7")
            #expect(try row[4] as [UInt8] == [1, 2])
            #expect(row.isNull(5))
            return (
                key: [try row.value(0)], title: try row[1] as String, year: try row[2] as Int64
            )
        }
        #expect(read.map(\.key) == keys)
        #expect(read.map(\.title) == rows.map(\.title))
        #expect(read.map(\.year) == rows.map(\.year))
        let found = try server.query(
            "SELECT id, title FROM films WHERE \(sealed: "films.title", equals: .text("FILM 699"), under: .casefold)"
        ) { [try $0.value(0)] }
        #expect(found == [keys[699]])
    }

    @Test(
        "A row that fails is named and leaves none of them, and the connection goes on",
        arguments: ["smallint", "numeric"])
    func failing(_ type: String) throws {
        let scratch = try scratch(type)
        try scratch.operate().execute("ALTER TABLE films ADD CHECK (year <> 333)")
        let server = try scratch.connection()
        let rows = (1...700).map { (title: "film \($0)", year: Int64($0)) }
        let failure = refused(.constraint) { _ = try insert(rows, server) }
        #expect(failure?.message.hasPrefix("row 333: ") == true)
        #expect(failure?.message.contains("film 333") == false)
        #expect(try server.value("SELECT count(*) FROM films") == 0)
        // The exact index is unique.
        var doubled = rows.filter { $0.year < 300 }
        doubled[200].title = "film 100"
        let double = refused(.constraint) { _ = try insert(doubled, server) }
        #expect(double?.message.hasPrefix("row 201: ") == true)
        refused(.constraint) {
            try server.transaction { server in
                try server.execute("INSERT INTO films (id, year) VALUES (-1, 0)")
                _ = try insert(rows, server)
            }
        }
        #expect(try server.value("SELECT count(*) FROM films") == 0)
        #expect(try insert(Array(rows.prefix(300)), server).count == 300)
        #expect(try server.value("SELECT count(*) FROM films") == 300)
    }

    @Test("Values that no COPY would store as they are, are refused as before")
    func unfit() throws {
        let scratch = try scratch("smallint")
        let server = try scratch.connection()
        func insert(_ value: Value) throws {
            var rows = [[Value]](repeating: [.integer(1)], count: 40)
            rows[20] = [value]
            try server.insert("films", ["more"], rows)
        }
        refused(.typeMismatch) { try insert(.text("1")) }
        refused(.typeMismatch) { try insert(.integer(40_000)) }
        refused(.typeMismatch) { try insert(.blob([1])) }
        refused(.misuse) { try server.insert("films", ["more"], [[.null], []]) }
        try insert(.null)
        #expect(try server.value("SELECT count(*) FROM films WHERE more = 1") == 39)
    }

    @Test("Rules of the table and row-level security hold for many rows as for one")
    func rules() throws {
        let scratch = try scratch("smallint")
        let operated = try scratch.operate()
        try operated.execute("CREATE TABLE log (year integer)")
        try operated.execute("CREATE RULE noted AS ON INSERT TO films DO ALSO INSERT INTO log VALUES (NEW.year)")
        let server = try scratch.connection()
        let rows = (1...40).map { (title: "film \($0)", year: Int64($0)) }
        _ = try insert(rows, server)
        #expect(try server.value("SELECT count(*) FROM log") == 40)
        try operated.execute("DROP RULE noted ON films")
        try operated.execute("CREATE ROLE clerk")
        defer { _ = try? operated.execute("DROP OWNED BY clerk; DROP ROLE clerk") }
        for change in [
            "ALTER TABLE films ENABLE ROW LEVEL SECURITY",
            "CREATE POLICY all_of_it ON films USING (true) WITH CHECK (year < 1000)",
            "GRANT ALL ON ALL TABLES IN SCHEMA public TO clerk", "GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO clerk",
        ] { try operated.execute(ServerSQL(verbatim: change)) }
        try server.execute("SET ROLE clerk")
        _ = try insert(rows.map { ("\($0.title) again", $0.year) }, server)
        let failure = refused(.denied) {
            _ = try insert(rows.map { ("\($0.title) more", $0.year + 980) }, server)
        }
        #expect(failure?.message.hasPrefix("row 20: ") == true)
        try server.execute("RESET ROLE")
        #expect(try server.value("SELECT count(*) FROM films") == 80)
    }

    @Test("A hundred thousand rows in a pipeline do not make both sides wait for each other") func pipelined() throws {
        let server = try TestServer.connection()
        try server.execute("CREATE TABLE t (i integer PRIMARY KEY, s text)")
        // The server has more to say than the rows.
        try server.execute(
            """
            CREATE FUNCTION talk() RETURNS trigger LANGUAGE plpgsql AS
            'BEGIN RAISE NOTICE ''%'', repeat(''x'', 300); RETURN NEW; END'
            """)
        try server.execute("CREATE TRIGGER talks BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION talk()")
        let insert = try server.prepare("INSERT INTO t VALUES ($1, $2)")
        let rows = (0..<100_000).map { [ServerParameter.text("\($0)"), .text("text \($0)")] }
        #expect(try insert.executeAll(rows) == 100_000)
        #expect(try server.value("SELECT sum(i) FROM t", as: Int.self) == 4_999_950_000)
        let failure = refused(.constraint) {
            try insert.executeAll([[.text("-1"), .null], [.text("7"), .null]])
        }
        #expect(failure?.message.hasPrefix("row 2: ") == true)
        #expect(try server.value("SELECT count(*) FROM t") == 100_000)
    }
}
