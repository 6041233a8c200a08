internal import CSQLCipher
internal import Synchronization

/// SQLite's count of the memory that it holds, which is kept only for a ``MemoryLimit``.
///
/// For this count, every allocation and release on every connection in the process takes the same lock, and
/// SQLite makes thousands of them to change a schema: threads that work on different files wait for each other.
/// It can be disabled only before SQLite starts, for the whole process; if another part of the program has
/// started SQLite, the count stays on, which is only slower.
///
/// Without it, `PRAGMA soft_heap_limit` and `PRAGMA hard_heap_limit` have no effect.
enum MemoryCount {
    private enum Decision {
        case open, kept, leftOut
    }

    private static let decision = Mutex(Decision.open)

    /// Whether the count is disabled. Must be read before any call that starts SQLite.
    static var isLeftOut: Bool {
        decision.withLock { decision in
            if decision == .open {
                decision = lockstep_count_memory(0) == SQLITE_OK ? .leftOut : .kept
            }
            return decision == .leftOut
        }
    }

    /// Keeps the count. Returns whether SQLite really counts: it does not if it started without.
    static func keep() -> Bool {
        decision.withLock { decision in
            if decision == .open {
                // SQLite refuses this once it has started; then its build decides whether it counts.
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
