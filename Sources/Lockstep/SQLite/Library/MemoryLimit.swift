internal import CSQLCipher
internal import Synchronization

/// A limit on SQLite's memory in this process, for all its connections together: pages, sorts, temporary tables
/// and the values that SQL computes.
///
/// It counts the bytes that SQLite requests: for many small values, the system's allocator takes up to twice as
/// much. Memory that the program makes from a row, such as a `String`, does not count. A program that reads
/// values of unknown size should also limit them with ``Limit/valueLength``.
public enum MemoryLimit {
    /// The smallest limit, 32 MiB: two connections with their default cache.
    public static let smallest = 32 * 1024 * 1024

    private struct State {
        var bytes: Int?
        var openings = 0
    }

    private static let state = Mutex(State())

    /// The limit in bytes, or nil if none is set.
    public static var bytes: Int? { state.withLock { $0.bytes } }

    /// Sets or replaces the limit for the process. A statement that needs more ends with
    /// ``LockstepError/Code/limitExceeded``, and its transaction can be rolled back.
    ///
    /// The first call must come before the first connection or store opens, because SQLite counts its memory
    /// only from its start. Counting costs a lock per allocation: threads that change schemas at the same time
    /// wait for each other. While a connection opens, for about a millisecond, the limit is suspended.
    /// - Parameter bytes: At least ``smallest``.
    /// - Throws: ``LockstepError/Code/misuse`` for fewer bytes, or if SQLite runs without counting.
    public static func set(_ bytes: Int) throws(LockstepError) {
        guard bytes >= smallest else {
            throw LockstepError(
                .misuse, "a memory limit of \(bytes) bytes is too low", hint: "set at least \(smallest) bytes")
        }
        guard MemoryCount.keep() else {
            throw LockstepError(
                .misuse,
                "the memory limit is set too late: SQLite is already running in this process and "
                    + "does not count its memory", hint: "set the limit before the first connection opens")
        }
        state.withLock { state in
            state.bytes = bytes
            if state.openings == 0 { _ = sqlite3_hard_heap_limit64(Int64(bytes)) }
        }
    }

    /// Runs `body`, which opens a connection and sets its key. SQLCipher 4.6 crashes if memory runs out while
    /// it takes a key, and reports a wrong key if memory runs out while it derives one.
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

    /// The error for a failed allocation in SQLite; nil if no limit is set.
    static func error(in sql: String?) -> LockstepError? {
        guard let bytes else { return nil }
        let place = sql.map { ", so this was ended: \($0)" } ?? ""
        return LockstepError(
            .limitExceeded,
            "SQLite needs more memory than the limit of \(bytes) bytes\(place)",
            advice: "process less at a time, or raise the limit: \(.memoryLimit)", sqliteCode: SQLITE_NOMEM)
    }
}

extension LockstepError {
    /// Whether it reports that SQLite needed more than the ``MemoryLimit``.
    var isOfMemory: Bool { code == .limitExceeded && sqliteCode == SQLITE_NOMEM }
}
