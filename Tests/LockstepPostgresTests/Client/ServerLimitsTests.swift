import Lockstep
import Synchronization
import TestServers
import Testing

@testable import LockstepPostgres

@Suite("Answers beyond the limits", .withServer)
struct ServerLimitsTests {
    private func connection(_ change: (inout ServerLimits) -> Void) throws -> ServerConnection {
        var options = ServerOptions()
        change(&options.limits)
        return try ServerConnection(TestServer.shared.get().address(), .none, options)
    }

    @Test(
        "Rows beyond them end the connection, and as many as they allow come",
        arguments: [
            ("SELECT repeat('x', 1000) FROM generate_series(1, $)", 900),
            ("SELECT FROM generate_series(1, $)", 100_000),
        ])
    func rows(_ sql: String, _ count: Int) throws {
        let server = try connection { $0.resultBytes = 1 << 20 }
        func read(_ count: Int) throws -> Int {
            try server.query(ServerSQL(verbatim: sql.replacing("$", with: "\(count)"))) { _ in }.count
        }
        #expect(try read(count) == count)
        refused(.limitExceeded) { _ = try read(2 * count) }
        refused(.limitExceeded) { try server.execute("SELECT 1") }
        let few = try connection { $0.resultRows = 3 }
        #expect(try few.query("SELECT generate_series(1, 3)") { _ in }.count == 3)
        refused(.limitExceeded) { _ = try few.query("SELECT generate_series(1, 4)") { _ in } }
    }

    @Test("So do notices")
    func notices() throws {
        let server = try connection { $0.notices = 50 }
        func notify(_ count: Int) throws {
            try server.execute(
                ServerSQL(verbatim: "DO $$BEGIN FOR i IN 1..\(count) LOOP RAISE NOTICE 'n'; END LOOP; END$$"))
        }
        try notify(50)
        try notify(50)
        refused(.limitExceeded) {
            try notify(5000)
            try server.execute("SELECT pg_sleep(0.2)")
        }
    }

    @Test("Silence for longer than they allow ends the connection, and a commit then is unknown")
    func silence() throws {
        let server = try connection { $0.silence = .seconds(2) }
        try server.execute("SELECT pg_sleep(0.1)")
        refused(.serverUnreachable) { try server.execute("SELECT pg_sleep(600)") }
        #expect(server.session.isLost)
    }

    @Test("A statement that is cancelled ends, whatever it was sending")
    func cancelling() throws {
        let asked = Countdown(5)
        var options = ServerOptions()
        options.shouldContinue = { asked.count() }
        let server = try ServerConnection(TestServer.shared.get().address(), .none, options)
        refused(.interrupted) { _ = try server.copyOut("COPY (SELECT pg_sleep(600)) TO STDOUT") { _ in } }
        refused(.interrupted) { try server.execute("SELECT pg_sleep(600)") }
        #expect(!server.session.isLost)
    }

    @Test("Values come back as they were sent, of any length, in any order of looking at them")
    func values() throws {
        let server = try connection { _ in }
        let texts: [String?] = ["", nil, "a", String(repeating: "é", count: 100_000), nil, "z"]
        let rows = try server.query(
            """
            SELECT n, a, b, c FROM generate_series(1, 3000) AS n,
            (SELECT \(texts[0])::text, \(texts[1])::text, \(texts[5])::text) AS t (a, b, c) ORDER BY n
            """
        ) { row in
            #expect(row.isNull(2) && !row.isNull(1) && row.isNull(9))
            return (try row[3] as String, try row[0] as Int, try row[1] as String)
        }
        #expect(rows.map(\.1) == Array(1...3000) && rows.allSatisfy { $0.0 == "z" && $0.2.isEmpty })
        let large = try server.query("SELECT \(texts[3])::text, \(texts[2])::text FROM generate_series(1, 40)") {
            (try $0[0] as String, try $0[1] as String)
        }
        #expect(large.count == 40 && large.allSatisfy { $0.0 == texts[3] && $0.1 == "a" })
    }
}

/// Says yes so many times.
private final class Countdown: Sendable {
    private let left: Mutex<Int>

    init(_ count: Int) { left = Mutex(count) }

    func count() -> Bool {
        left.withLock { left in
            left -= 1
            return left > 0
        }
    }
}
