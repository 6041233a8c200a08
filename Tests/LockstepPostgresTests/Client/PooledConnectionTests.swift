import Lockstep
import TestServers
import Testing

@testable import LockstepPostgres

/// Connections through a pooler in transaction mode, where each transaction can be on another connection with the
/// server.
@Suite("Connections through a pooler", .withServer)
struct PooledConnectionTests {
    private static func connection(
        _ address: ServerAddress, schema: String
    ) throws -> ServerConnection {
        var options = ServerOptions()
        options.schema = schema
        return try ServerConnection(address, .none, options)
    }

    @Test("A schema is that of its client alone, inside and outside of transactions")
    func schema() throws {
        guard let pooler = try TestPooler(before: TestServer.shared.get()) else { return }
        let address = try pooler.address()
        let direct = try ServerConnection(pooler.direct(address))
        try direct.execute("CREATE SCHEMA tenant")
        let own = try Self.connection(address, schema: "tenant")
        let other = try ServerConnection(address)
        try own.execute("CREATE TABLE t (i bigint)")
        #expect(try other.value("SELECT current_schema()::text") == "public")
        try own.transaction { try $0.execute("INSERT INTO t VALUES (1)") }
        let insert = try own.prepare("INSERT INTO t VALUES ($1)")
        try insert.execute(2)
        try insert.executeAll([[3.serverParameter], [4.serverParameter]])
        try own.copyIn("COPY t FROM STDIN") { try $0.write(Array("5\n".utf8)) }
        var rows = 0
        try own.copyOut("COPY t TO STDOUT") { _ in rows += 1 }
        #expect(rows == 5)
        #expect(try own.value("SELECT sum(i)::int8 FROM t") == 15)
        #expect(try other.value("SELECT to_regclass('t')::text") == nil as String?)
        for _ in 0..<4 {
            #expect(try other.value("SELECT current_schema()::text") == "public")
        }
        #expect(try direct.value("SELECT count(*) FROM tenant.t") == 5)
        // A transaction that the caller begins is one, however it is written.
        for beginning in ["begin", "START TRANSACTION", "/* */ BEGIN"] {
            try own.execute(ServerSQL(verbatim: beginning))
            let isOpen = own.isInTransaction
            #expect(isOpen)
            try own.execute("INSERT INTO t VALUES (6)")
            try own.execute("ROLLBACK")
        }
        #expect(try own.value("SELECT count(*) FROM t") == 5)
        let failed = refused(.serverUnsupported) {
            try own.execute("CREATE INDEX CONCURRENTLY t_i ON t (i)")
        }
        #expect(failed?.message.contains("through a pooler") == true)
        // What fails outside a transaction leaves none open.
        refused(.sqlFailed) { try own.execute("SELECT * FROM nothing") }
        let isOpen = own.isInTransaction
        #expect(!isOpen)
    }

    @Test("Statements run on whichever connection the pooler gives, sealed ones too") func statements() throws {
        guard let pooler = try TestPooler(before: TestServer.shared.get()) else { return }
        let address = try pooler.address()
        let scratch = try SealedScratch(at: pooler.direct(address))
        var options = ServerOptions()
        options.fieldKeys = [scratch.keys]
        let own = try ServerConnection(address, .none, options)
        let plain = try own.prepare("SELECT $1::int8 + 1")
        let find = try own.prepare("SELECT id, title FROM films WHERE \(sealed: "films.title")")
        var backends: Set<Int> = []
        // A transaction that stays open keeps the connection that was used last.
        let others = try (0..<3).map { _ in try Other(address) }
        for (number, other) in others.enumerated() {
            backends.insert(try own.value("SELECT pg_backend_pid()") ?? 0)
            try own.insert("films", ["title": .text("film \(number)"), "year": .integer(1)])
            try own.insert("films", ["title", "year"], (0..<20).map { [.text("row \(number).\($0)"), .integer(2)] })
            #expect(try plain.query(number) { try $0[0] as Int } == [number + 1])
            let found = try find.query("film \(number)") { try $0[1] as String }
            #expect(found == ["film \(number)"])
            try other.connection.execute("BEGIN")
            _ = try other.connection.value("SELECT 1", as: Int.self)
        }
        #expect(backends.count == 3)
        for other in others { try other.connection.execute("ROLLBACK") }
        #expect(try own.value("SELECT count(*) FROM films") == 63)
    }

    /// A connection in an array.
    private final class Other {
        let connection: ServerConnection
        init(_ address: ServerAddress) throws { connection = try ServerConnection(address) }
    }
}
