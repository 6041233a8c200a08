internal import CSQLCipher
internal import Synchronization

/// A bound on the memory that SQLite takes in this process, for all its connections together: pages, sorts,
/// temporary tables and the values that SQL makes.
///
/// It counts what SQLite asks for: of many small values the system's allocator makes up to twice as much.
/// What the program makes of a row, such as a `String`, is its own memory and is not counted. A program that
/// reads values of unknown size bounds them with ``Limit/valueLength`` as well.
public enum MemoryLimit {
    /// The smallest limit, 32 MiB: two connections with their usual cache.
    public static let smallest = 32 * 1024 * 1024

    private struct State {
        var bytes: Int?
        var openings = 0
    }

    private static let state = Mutex(State())

    /// The limit in bytes, or nil where none is set.
    public static var bytes: Int? { state.withLock { $0.bytes } }

    /// Sets the limit for the process, or another one in its place. A statement that needs more ends with
    /// ``LockstepError/Code/limitExceeded``, and its transaction can be rolled back.
    ///
    /// The first call must come before the first connection or store opens, because SQLite counts its memory
    /// only from its start. Counting costs every allocation a lock: threads that change schemas at once
    /// wait for each other. While a connection opens, for about a millisecond, the limit does not hold.
    /// - Parameter bytes: At least ``smallest``.
    /// - Throws: ``LockstepError/Code/misuse`` for fewer bytes, or where SQLite runs without counting.
    public static func set(_ bytes: Int) throws(LockstepError) {
        guard bytes >= smallest else {
            throw LockstepError(
                .misuse, "a memory limit of \(bytes) bytes is too low",
                hint: "give at least \(smallest) bytes")
        }
        guard MemoryCount.keep() else {
            throw LockstepError(
                .misuse,
                "a memory limit comes too late: SQLite runs in this process and does not count "
                    + "its memory",
                hint: "set the limit before the first connection opens")
        }
        state.withLock { state in
            state.bytes = bytes
            if state.openings == 0 { _ = sqlite3_hard_heap_limit64(Int64(bytes)) }
        }
    }

    /// Runs `body`, which opens a connection and gives it its key. SQLCipher 4.6 crashes where memory ends
    /// while it takes a key, and takes the end of memory while it derives one for a wrong key.
    static func suspended<Result: ~Copyable>(_ body: () throws -> Result) rethrows -> Result {
        state.withLock { state in
            state.openings += 1
            if state.openings == 1, state.bytes != nil { _ = sqlite3_hard_heap_limit64(0) }
        }
        defer {
            state.withLock { state in
                state.openings -= 1
                guard state.openings == 0, let bytes = state.bytes else { return }
                _ = sqlite3_hard_heap_limit64(Int64(bytes))
            }
        }
        return try body()
    }

    /// The error for memory that SQLite did not get; nil where no limit is set.
    static func error(in sql: String?) -> LockstepError? {
        guard let bytes else { return nil }
        let place = sql.map { ", and this was ended: \($0)" } ?? ""
        return LockstepError(
            .limitExceeded,
            "SQLite needs more than the memory limit of \(bytes) bytes leaves\(place)",
            hint:
                "ask for less at once, or raise the limit: --max-memory, in a program MemoryLimit.set",
            sqliteCode: SQLITE_NOMEM)
    }
}
