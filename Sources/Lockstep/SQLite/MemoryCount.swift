internal import CSQLCipher

/// SQLite's count of the memory that it holds, which is not kept here.
///
/// For it every allocation and every release of every connection in the process takes one and the same lock,
/// and SQLite makes thousands of them to change a schema: threads that work on different files wait for each
/// other. Nobody here asks for the count. It can only be left out before SQLite has begun, for the process; where
/// somebody else in it was earlier, it is kept, and all is well but slower.
///
/// Without it `PRAGMA soft_heap_limit` and `PRAGMA hard_heap_limit` have nothing to go by.
enum MemoryCount {
    /// Whether it is left out. Asked before anything is that SQLite begins with.
    static let isLeftOut = lockstep_leave_memory_uncounted() == SQLITE_OK
}
