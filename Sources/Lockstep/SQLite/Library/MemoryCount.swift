internal import CSQLCipher
internal import Synchronization

/// SQLite's count of the memory that it holds, which is kept only for a ``MemoryLimit``.
///
/// For it every allocation and every release of every connection in the process takes one and the same lock,
/// and SQLite makes thousands of them to change a schema: threads that work on different files wait for each
/// other. It can only be switched off before SQLite has begun, for the process; where another part of the
/// program began SQLite first, the count is kept, and all is well but slower.
///
/// Without it `PRAGMA soft_heap_limit` and `PRAGMA hard_heap_limit` have nothing to go by.
enum MemoryCount {
    private enum Decision {
        case open, kept, leftOut
    }

    private static let decision = Mutex(Decision.open)

    /// Whether it is left out. Asked before anything is that SQLite begins with.
    static var isLeftOut: Bool {
        decision.withLock { decision in
            if decision == .open {
                decision = lockstep_count_memory(0) == SQLITE_OK ? .leftOut : .kept
            }
            return decision == .leftOut
        }
    }

    /// Keeps the count, and says whether SQLite really counts: it does not where it has begun without.
    static func keep() -> Bool {
        decision.withLock { decision in
            if decision == .open {
                // Refused where SQLite has begun; then it counts, or not, as it was built to.
                _ = lockstep_count_memory(1)
                decision = .kept
            }
            guard decision == .kept, sqlite3_initialize() == SQLITE_OK else { return false }
            guard let probe = unsafe sqlite3_malloc64(64) else { return sqlite3_memory_used() > 0 }
            let counted = sqlite3_memory_used() > 0
            unsafe sqlite3_free(probe)
            return counted
        }
    }
}
