import Lockstep
import TestServers
import Testing

@testable import LockstepPostgres

@Suite("Connections to servers", .withServer)
struct ServerConnectionTests {
    @Test("Values of every kind come back as they were sent")
    func values() throws {
        let server = try TestServer.connection()
        try server.execute("CREATE TABLE t (i bigint, s text, b bytea, f double precision, o boolean)")
        let text = "a'b\\c\"d\u{1F510}\n$1;--"
        let bytes: [UInt8] = [0, 255, 92, 39, 10]
        let none: String? = nil
        let inserted = try server.execute(
            "INSERT INTO t VALUES (\(Int64.min), \(text), \(bytes), \(0.1), \(true)), (\(0), \(none), \([UInt8]()), \(-Double.infinity), \(false))"
        )
        #expect(inserted == 2)
        let rows = try server.query("SELECT * FROM t ORDER BY i") { row in
            (
                try row[0] as Int64, try row[1] as String?, try row[2] as [UInt8],
                try row[3] as Double,
                try row[4] as Bool
            )
        }
        #expect(rows[0] == (Int64.min, text, bytes, 0.1, true))
        #expect(rows[1] == (0, nil, [], -.infinity, false))
        refused(.decodeMismatch) { _ = try server.value("SELECT 'x'", as: Int.self) }
        refused(.typeMismatch) { try server.execute("SELECT \("a\0b")") }
        refused(.typeMismatch) { try server.execute(ServerSQL(verbatim: "SELECT 1\0")) }
    }

    @Test("One call runs one statement, and no value turns into SQL")
    func oneStatement() throws {
        let server = try TestServer.connection()
        let error = refused(.sqlFailed) {
            try server.execute("CREATE TABLE a (); CREATE TABLE b ()")
        }
        #expect(error?.context.sqlState == "42601")
        let sql = "'); DROP TABLE t; --"
        #expect(try server.value("SELECT \(sql)") == sql)
        #expect(try ServerScratch.tables(server).isEmpty)
    }

    @Test(
        "A result's column names the table's column that it came from, and an expression names none"
    )
    func origin() throws {
        let server = try TestServer.connection()
        try server.execute("CREATE TABLE a (x bigint, y text)")
        try server.execute("CREATE VIEW v AS SELECT y FROM a")
        let table: Int64? = try server.value("SELECT 'a'::regclass::oid::int8")
        let rows = try server.query(
            "INSERT INTO a VALUES (1, 'k') RETURNING y AS z, x, x + 1, 'c'"
        ) { row in (0..<4).map { row.origin($0) } }
        let number = UInt32(try #require(table))
        #expect(
            rows == [
                [.init(table: number, column: 2), .init(table: number, column: 1), nil, nil]
            ])
        let joined = try server.query("SELECT q.y, w.y FROM (SELECT y FROM a) AS q JOIN a AS w ON true JOIN v ON true")
        { [$0.origin(0), $0.origin(1)] }
        #expect(joined == [[.init(table: number, column: 2), .init(table: number, column: 2)]])
        let view = try server.query("SELECT y FROM v") { $0.origin(0) }
        #expect(view.first??.table != number)
    }

    @Test("An error in a transaction rolls it back, and the connection goes on")
    func transaction() throws {
        let server = try TestServer.connection()
        try server.execute("CREATE TABLE t (i bigint PRIMARY KEY)")
        let error = refused(.constraint) {
            try server.transaction { server in
                try server.execute("INSERT INTO t VALUES (1)")
                refused(.misuse) { try server.transaction { _ in } }
                try server.execute("INSERT INTO t VALUES (1)")
            }
        }
        #expect(error?.context.table == "t" && error?.context.sqlState == "23505")
        // A statement failed, and its error was swallowed: the commit is none.
        refused(.sqlFailed) {
            try server.transaction { server in
                try server.execute("INSERT INTO t VALUES (2)")
                _ = try? server.execute("SELECT 1/0")
            }
        }
        let isOpen = server.isInTransaction
        #expect(!isOpen)
        try server.transaction { server in try server.execute("INSERT INTO t VALUES (3)") }
        #expect(try server.query("SELECT i FROM t") { try $0[0] as Int } == [3])
    }

    @Test("A lost connection during a commit is an unknown outcome, and a failure elsewhere") func lost() throws {
        let server = try TestServer.shared.get()
        let address = try server.address()
        let killer = try ServerConnection(address)
        try killer.execute("CREATE TABLE t (i bigint)")
        let victim = try ServerConnection(address)
        let process = Int(victim.processID)
        refused(.commitUnknown) {
            try victim.transaction { victim in
                try victim.execute("INSERT INTO t VALUES (1)")
                try killer.execute("SELECT pg_terminate_backend(\(process)::int4, 10000)")
            }
        }
        refused(.serverUnreachable) { try victim.execute("SELECT 1") }
        #expect(try killer.value("SELECT count(*) FROM t") == 0)
    }

    @Test("COPY goes both ways, row by row; an error in between leaves nothing")
    func copy() throws {
        struct Stop: Error {}
        let server = try TestServer.connection()
        try server.execute("CREATE TABLE t (i bigint, s text)")
        let count = try server.copyIn("COPY t FROM STDIN") { copy in
            for number in 0..<1000 {
                try copy.write(Array("\(number)\tx".utf8)); try copy.write([10])
            }
        }
        #expect(count == 1000)
        var rows: [String] = []
        let read = try server.copyOut("COPY (SELECT * FROM t ORDER BY i) TO STDOUT") {
            rows.append(String(decoding: $0, as: UTF8.self))
        }
        #expect(read == 1000 && rows.count == 1000 && rows.last == "999\tx\n")
        #expect(throws: Stop.self) {
            try server.copyIn("COPY t FROM STDIN") { copy in
                try copy.write(Array("1\ty\n".utf8))
                throw Stop()
            }
        }
        #expect(throws: Stop.self) {
            try server.copyOut("COPY t TO STDOUT") { _ in throw Stop() }
        }
        refused(.typeMismatch) {
            try server.copyIn("COPY t FROM STDIN") { try $0.write(Array("x\ty\n".utf8)) }
        }
        refused(.misuse) { try server.copyIn("SELECT 1") { _ in } }
        refused(.misuse) { try server.copyIn("COPY t TO STDOUT") { _ in } }
        refused(.sqlFailed) { try server.copyIn("COPY t FROM STDIN; DROP TABLE t") { _ in } }
        refused(.misuse) { try server.execute("COPY t FROM STDIN") }
        refused(.misuse) { try server.execute("COPY t TO STDOUT") }
        #expect(try server.value("SELECT count(*) FROM t") == 1000)
    }

    @Test(
        "A prepared statement runs for many rows without waiting, and stops at the first that fails"
    )
    func pipeline() throws {
        let server = try TestServer.connection()
        try server.execute("CREATE TABLE t (i bigint PRIMARY KEY, s text)")
        let insert = try server.prepare("INSERT INTO t VALUES ($1, $2)")
        #expect(try insert.execute(-1, "one") == 1)
        let rows = (0..<1000).map { [ServerParameter.text("\($0)"), .text("é\($0)")] }
        let inserted = try server.transaction { _ in try insert.executeAll(rows) }
        #expect(inserted == 1000)
        refused(.constraint) {
            _ = try server.transaction { _ in
                try insert.executeAll([[.text("2000"), .null], [.text("5"), .null], [.text("2001"), .null]])
            }
        }
        // Nothing is sent, and the connection goes on.
        refused(.typeMismatch) {
            try insert.executeAll([[.text("3000"), .null], [.text("3001"), .text("a\0b")]])
        }
        let select = try server.prepare("SELECT s FROM t WHERE i = $1")
        #expect(try select.query(999) { try $0[0] as String } == ["é999"])
        #expect(try server.value("SELECT count(*) FROM t") == 1001)
        refused(.misuse) { _ = try server.prepare("SELECT \(1)") }
    }

    @Test("Each session reads dates, texts and bytes in one form, whatever the role sets") func settings() throws {
        let server = try TestServer.shared.get()
        let address = try server.address()
        let first = try ServerConnection(address)
        try first.execute("CREATE SCHEMA inner_one")
        for setting in [
            "bytea_output = 'escape'", "timezone = 'Asia/Tokyo'", "datestyle = 'German'",
            "standard_conforming_strings = off",
        ] {
            try first.execute(
                "ALTER DATABASE \(name: address.database) SET \(verbatim: setting)")
        }
        var options = ServerOptions()
        options.schema = "inner_one"
        let second = try ServerConnection(address, .none, options)
        #expect(try second.value("SELECT '\\x0141'::bytea") == [1, 65] as [UInt8])
        #expect(try second.value("SELECT '2026-01-02 03:04:05+00'::timestamptz::text") == "2026-01-02 03:04:05+00")
        #expect(try second.value("SELECT current_schema()::text") == "inner_one")
        #expect(try second.value("SELECT '\\'::text") == "\\")
    }

    @Test("No server, no database, no role and another encoding are errors of their own") func refusals() throws {
        let server = try TestServer.shared.get()
        refused(.serverUnreachable) {
            _ = try ServerConnection(
                ServerAddress("postgres://a@/b?host=\(server.folder)/none"))
        }
        refused(.serverUnreachable) {
            _ = try ServerConnection(ServerAddress("postgres://a@127.0.0.1:1/b"))
        }
        refused(.notFound) { _ = try ServerConnection(server.address(of: "no_such")) }
        let admin = try ServerConnection(server.address(of: "postgres"))
        try admin.execute("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0")
        refused(.serverUnsupported) { _ = try ServerConnection(server.address(of: "latin")) }
    }
}
