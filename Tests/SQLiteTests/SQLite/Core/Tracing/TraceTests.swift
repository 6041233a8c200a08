import Synchronization
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Statement traces of a connection")
struct TraceTests {
    private final class Log: Sendable {
        private let kept = Mutex<[TraceEvent]>([])
        var events: [TraceEvent] { kept.withLock { $0 } }
        func note(_ event: TraceEvent) { kept.withLock { $0.append(event) } }
        func clear() { kept.withLock { $0.removeAll() } }
    }

    private let log = Log()
    private var options: ConnectionOptions {
        var options = ConnectionOptions()
        options.trace = { [log] in log.note($0) }
        return options
    }

    @Test("Each statement is traced after it has run, in order, with its cost")
    func statements() throws {
        let connection = try Connection.inMemory(options)
        log.clear()
        try connection.write { connection in
            try connection.execute("CREATE TABLE t (a)")
            let insert = try connection.prepare("INSERT INTO t VALUES (?)")
            for number in 0..<2 { try insert.run(number) }
        }
        _ = try connection.query("SELECT a FROM t") { row in row.count }
        #expect(
            log.events.map(\.sql) == [
                "BEGIN IMMEDIATE", "CREATE TABLE t (a)", "INSERT INTO t VALUES (?)",
                "INSERT INTO t VALUES (?)", "COMMIT", "SELECT a FROM t",
            ])
        #expect(log.events.allSatisfy { $0.duration >= .zero })
    }

    @Test("Traces show neither literals, bound values nor comments")
    func redacted() throws {
        let connection = try Connection.inMemory(options)
        try connection.execute("CREATE TABLE t (a, b) -- hunter2")
        try connection.execute("INSERT INTO t VALUES ('hunter2', \("hunter2"))")
        try connection.execute("UPDATE t SET a = ?, b = 4711 /* hunter2 */", "hunter2")
        _ = try connection.query(
            ("SELECT * FROM t WHERE a = :a AND b > 4711.5" as SQL).with(named: ["a": "hunter2"])
        ) { row in row.count }
        Refusal.expect(.sqlFailed) { try connection.execute("SELECT json('hunter2')") }
        try connection.execute("CREATE VIRTUAL TABLE words USING fts5(text)")
        try connection.execute("INSERT INTO words VALUES ('hunter2')")
        try connection.execute("SELECT * FROM words WHERE words MATCH 'hunter2'")
        #expect(log.events.map(\.sql).contains("INSERT INTO t VALUES (?, ?)"))
        #expect(log.events.map(\.sql).contains("UPDATE t SET a = ?, b = ?"))
        for event in log.events {
            #expect(!event.sql.contains("hunter2") && !event.sql.contains("4711"))
        }
    }

    @Test("Nothing is traced while a connection is created, opened and keyed")
    func keying() throws {
        let scratch = try DatabaseScratch()
        do {
            let connection = try scratch.create(options)
            #expect(log.events.allSatisfy { !$0.sql.lowercased().contains("key") })
            #expect(log.events.allSatisfy { !$0.sql.contains("cipher") })
            try connection.execute("CREATE TABLE t (a)")
        }
        log.clear()
        let connection = try scratch.open(options)
        #expect(log.events == [])
        try connection.execute("SELECT * FROM t")
        #expect(log.events.map(\.sql) == ["SELECT * FROM t"])
    }

    @Test("A statement that was not read to its end is traced when it is abandoned")
    func givenUp() throws {
        let connection = try Connection.inMemory(options)
        log.clear()
        #expect(try connection.value("SELECT value FROM json_each('[1, 2]')") == 1)
        #expect(log.events.map(\.sql) == ["SELECT value FROM json_each(?)"])
        Refusal.expect(.sqlFailed) { _ = try connection.prepare("SELECT nosuch") }
        #expect(log.events.count == 1)
    }

    private final class Token: Sendable {}

    @Test("Nothing is traced after the connection has closed, and captured values are released") func closed() throws {
        weak var held: Token?
        func orphan() throws -> Statement {
            let token = Token()
            held = token
            var options = ConnectionOptions()
            options.trace = { [token, log] event in
                withExtendedLifetime(token) { log.note(event) }
            }
            let connection = try Connection.inMemory(options)
            return try connection.prepare("SELECT 1")
        }
        do {
            let statement = try orphan()
            log.clear()
            try statement.run()
            #expect(log.events == [])
        }
        #expect(held == nil)
    }
}
