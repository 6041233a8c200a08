import CSQLCipher
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("The memory in which SQLCipher keeps keys")
struct EngineMemoryTests {
    /// Around the lengths of keys in hexadecimal digits, and of keys.
    private static let lengths = [1, 31, 32, 33, 66, 67, 68, 98, 99, 100, 104, 128, 129]

    @Test("SQLite's allocations of any length keep their content as they grow and shrink") func blocks() async {
        await #expect(processExitsWith: .success) {
            _ = try LinkGuard.check()
            try #require(EngineMemory.isArranged)
            for first in Self.lengths {
                for second in Self.lengths + [5000] {
                    // With and without expecting keys.
                    if second % 2 == 0 { EngineMemory.awaitKeys() }
                    let block = try #require(sqlite3_malloc(Int32(first)))
                    try #require(sqlite3_msize(block) >= UInt64(first))
                    block.initializeMemory(as: UInt8.self, repeating: 0xC3, count: first)
                    let other = try #require(sqlite3_realloc(block, Int32(second)))
                    try #require(sqlite3_msize(other) >= UInt64(second))
                    let kept = UnsafeRawBufferPointer(start: other, count: min(first, second))
                    try #require(kept.allSatisfy { $0 == 0xC3 }, "\(first) to \(second)")
                    sqlite3_free(other)
                }
            }
        }
    }

    @Test("When keys are expected, four blocks of a key's length are protected, and no fifth") func awaited() async {
        await #expect(processExitsWith: .success) {
            _ = try LinkGuard.check()
            try #require(EngineMemory.isArranged)
            EngineMemory.awaitKeys()
            // Other allocations come between them, as in SQLCipher.
            let between = sqlite3_malloc(40)
            let blocks = (0..<5).map { _ in sqlite3_malloc(32) }
            let regions = try MemoryRegion.all(of: "self")
            let undumped = blocks.map { block in
                regions.contains {
                    $0.isUndumped && $0.range.contains(UInt(bitPattern: block))
                }
            }
            try #require(undumped == [true, true, true, true, false])
            for block in blocks + [between] { sqlite3_free(block) }
        }
    }

    @Test("Texts of these lengths pass through SQL unchanged", arguments: [true, false])
    func texts(_ isCounted: Bool) async {
        await #expect(processExitsWith: .success) { [isCounted = isCounted as Bool] in
            // When SQLite counts its memory, it rounds lengths up before it allocates.
            if isCounted {
                try #require(EngineMemory.isArranged)
                try #require(sqlite3_initialize() == SQLITE_OK)
            }
            let connection = try Connection.inMemory()
            try connection.execute("CREATE TABLE t (a, b)")
            for length in 1...140 {
                let text = String(repeating: "é", count: length / 2) + "x"
                try connection.execute("INSERT INTO t VALUES (?, ?)", length, text)
                let found = try connection.value(
                    "SELECT replace(b || 'y', 'y', '') FROM t WHERE a = ?", length, as: String.self)
                try #require(found == text)
            }
            let whole = try connection.value(
                "SELECT length(group_concat(b)) FROM t", as: Int.self)
            try #require(whole == (1...140).reduce(139) { $0 + $1 / 2 + 1 })
        }
    }
}
