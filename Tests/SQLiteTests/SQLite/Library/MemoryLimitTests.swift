import CSQLCipher
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Each test in its own process: the limit applies to the process.
@Suite("A limit on SQLite's memory")
struct MemoryLimitTests {
    private static let statements: [String] = [
        // A string that doubles.
        """
        WITH RECURSIVE n (i, s) AS (SELECT 1, 'x' UNION ALL SELECT i + 1, s || s FROM n LIMIT 40)
        SELECT max(length(s)) FROM n
        """,
        "SELECT length(hex(zeroblob(400000000)))",
        "SELECT length(replace(hex(zeroblob(9000000)), '00', '0000'))",
        "SELECT length(group_concat(a.name || b.name || hex(zeroblob(500)))) FROM pragma_function_list a, "
            + "pragma_function_list b",
        // A sort, a temporary table and a hash of infinitely many rows.
        """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n ORDER BY -i
        """,
        """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION SELECT i + 1 FROM n) SELECT count(*) FROM n
        """,
        """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT DISTINCT i FROM n WHERE i < 0
        UNION SELECT hex(i) || hex(zeroblob(100)) FROM n
        """,
        "CREATE TEMP TABLE t AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT "
            + "hex(zeroblob(1000)) FROM n",
    ]

    @Test(
        "Hostile statements end with its error, and the connection remains usable",
        arguments: 0..<8)
    func ended(_ index: Int) async {
        await #expect(processExitsWith: .success) { [index = index as Int] in
            do {
                try MemoryLimit.set(MemoryLimit.smallest)
                #expect(MemoryLimit.bytes == MemoryLimit.smallest)
                let scratch = try DatabaseScratch()
                try scratch.fill(rows: 10)
                let connection = try scratch.open()
                sqlite3_memory_highwater(1)
                let error = #expect(throws: LockstepError.self) {
                    try connection.execute(SQL(verbatim: Self.statements[index]))
                }
                #expect(error?.code == .limitExceeded, "\(String(describing: error))")
                #expect(error?.message.contains("33554432 bytes") == true)
                #expect(error?.hint?.contains("MemoryLimit.set") == true)
                #expect(sqlite3_memory_highwater(0) <= 33_554_432)
                #expect(try scratch.count(connection) == 10)
                #expect(!MemoryCount.isLeftOut)
            } catch {
                Issue.record(error)
            }
        }
    }

    @Test(
        "A transaction that reaches it leaves nothing, and connections open without free memory"
    )
    func writing() async {
        await #expect(processExitsWith: .success) {
            do {
                try MemoryLimit.set(MemoryLimit.smallest)
                let scratch = try DatabaseScratch()
                try scratch.fill(rows: 10)
                do {
                    let connection = try scratch.open()
                    Refusal.expect(.limitExceeded) {
                        try connection.write { connection in
                            try scratch.add(rows: 5, inside: connection)
                            try connection.execute(SQL(verbatim: Self.statements[4]))
                        }
                    }
                    #expect(try scratch.count(connection) == 10)
                    // Allocates the remaining memory, and keeps it.
                    try connection.execute("CREATE TEMP TABLE t (a)")
                    var rows = 0
                    while (try? connection.execute("INSERT INTO t VALUES (zeroblob(50000))"))
                        != nil,
                        rows < 10_000
                    {
                        rows += 1
                    }
                    #expect(rows > 100 && rows < 10_000)
                    for _ in 0..<20 {
                        let code = try Refusal.code { _ = try scratch.count(scratch.open()) }
                        #expect(code == nil || code == .limitExceeded)
                    }
                }
                #expect(try scratch.count(scratch.open()) == 10)
            } catch {
                Issue.record(error)
            }
        }
    }

    @Test("It can be raised, and applies again from then on")
    func raised() async {
        await #expect(processExitsWith: .success) {
            do {
                try MemoryLimit.set(MemoryLimit.smallest)
                let connection = try Connection.inMemory()
                let sql: SQL = "SELECT length(hex(zeroblob(20000000)))"
                Refusal.expect(.limitExceeded) { _ = try connection.value(sql, as: Int.self) }
                try MemoryLimit.set(256 << 20)
                #expect(try connection.value(sql) == 40_000_000)
                try MemoryLimit.set(MemoryLimit.smallest)
                Refusal.expect(.limitExceeded) { _ = try connection.value(sql, as: Int.self) }
            } catch {
                Issue.record(error)
            }
        }
    }

    @Test("A limit that is too late or too low is refused, and nothing is limited")
    func refused() async {
        await #expect(processExitsWith: .success) {
            do {
                for bytes in [Int.min, -1, 0, MemoryLimit.smallest - 1] {
                    Refusal.expect(.misuse) { try MemoryLimit.set(bytes) }
                }
                let connection = try Connection.inMemory()
                Refusal.expect(.misuse) { try MemoryLimit.set(.max) }
                #expect(MemoryLimit.bytes == nil && MemoryCount.isLeftOut)
                // The same statement that a limit ends above: here it completes.
                #expect(try connection.value("SELECT length(hex(zeroblob(20000000)))") == 40_000_000)
            } catch {
                Issue.record(error)
            }
        }
    }
}
