internal import Synchronization

/// A connection's prepared statements that wait for another run: the most recently used ones.
///
/// A statement leaves the cache while it is in use, so that two uses of the same SQL never share one.
// Sendable by this proof: only the thread that uses the connection touches anything but `strays`; another
// thread returns its statement to `strays`, which a lock guards.
final class StatementCache: @unchecked Sendable {
    private struct Entry {
        let statement: PreparedStatement
        var lastUse: UInt64
    }

    /// Statements that another thread has released.
    // Sendable by this proof: nobody uses them while they wait, and the mutex hands them to one thread.
    private struct Strays: @unchecked Sendable {
        var statements: [PreparedStatement] = []
        var isClosed = false
    }

    private let capacity: Int
    private let owner: ConnectionOwner
    private var idle: [StatementKey: Entry] = [:]
    private var uses: UInt64 = 0
    private var isClosed = false
    private let strays = Mutex(Strays())

    init(capacity: Int, _ owner: ConnectionOwner) {
        self.capacity = max(capacity, 0)
        self.owner = owner
    }

    /// Takes the statement of this text out of the cache, or nil if it is not there.
    func take(_ key: StatementKey) -> PreparedStatement? {
        guard let index = idle.index(forKey: key) else { return nil }
        return idle.remove(at: index).value.statement
    }

    /// Takes back a used statement: caches it under its text, or finalizes it.
    func putBack(_ statement: PreparedStatement, as key: StatementKey?) {
        guard owner.isHere else { return putAside(statement) }
        guard let key, !isClosed, capacity > 0 else { return statement.finalize() }
        statement.forget()
        uses += 1
        let twin = idle.updateValue(Entry(statement: statement, lastUse: uses), forKey: key)
        twin?.statement.finalize()
        guard idle.count > capacity else { return }
        if let oldest = idle.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            oldest.value.statement.finalize()
            idle[oldest.key] = nil
        }
    }

    /// The connection can be in use on its own thread: even finalizing a statement would disturb it.
    private func putAside(_ statement: PreparedStatement) {
        strays.withLock { strays in
            if strays.isClosed { statement.finalize() } else { strays.statements.append(statement) }
        }
    }

    /// Finalizes the statements that other threads have released.
    func sweep() {
        strays.withLock { strays in
            for statement in strays.statements { statement.finalize() }
            strays.statements.removeAll()
        }
    }

    /// Finalizes the statements that are not in use.
    func empty() {
        for entry in idle.values { entry.statement.finalize() }
        idle.removeAll()
        sweep()
    }

    /// Empties and closes the cache.
    func close() {
        isClosed = true
        empty()
        strays.withLock { $0.isClosed = true }
    }
}
