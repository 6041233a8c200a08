internal import Synchronization
internal import SystemPackage

/// The order in which a job takes locks. Two jobs that take them in different orders could wait for each other.
///
/// A debug build notices a thread that takes a lock although it holds one that comes after it. One lock is no matter of
/// order: a shared lock that the thread has already, since taking it again never waits.
package enum LockOrder: Int, Sendable, Comparable {
    /// That of a keyring's keys: ``UseLock``.
    case use = 1
    /// That of a database's file: ``CustodyLock``.
    case custody
    /// That of a keyring's file, which is held for milliseconds: ``KeyringLock``. Not even a transaction begins under
    /// it.
    case keyring
    /// SQLite's lock of a transaction that writes to a database which others can use.
    case transaction

    /// Whether transactions are in the order, too. A program can call a job in a transaction of another database; no
    /// command of the tool does.
    @TaskLocal package static var hasTransactions = false

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// Notes a transaction that writes, after looking at the order.
    /// - Throws: as ``require(_:)``.
    static func transaction(isShared: Bool) throws -> HeldLock? {
        #if DEBUG
        guard isShared, hasTransactions else { return nil }
        try LockOrder.transaction.require()
        return HeldLock(.transaction)
        #else
        return nil
        #endif
    }

    /// - Parameter path: The lock's file; nil for a transaction.
    /// - Throws: In a debug build ``LockstepError/Code/misuse``, if the thread must not take the lock now.
    func require(_ path: FilePath? = nil) throws {
        #if DEBUG
        let place = path.flatMap { try? RealPath.of($0) }
        let held = HeldLock.ofThisThread
        if place != nil, held.contains(where: { $0.lockFile == place }) { return }
        guard let later = held.first(where: { $0.rank > self || self == .transaction && $0.rank == .keyring }) else {
            return
        }
        throw LockstepError(
            .misuse, "\(name(path)) was to be taken by a thread that holds \(later.rank.name(later.lockFile))",
            hint: "take the locks in the order that KeyringLocks.swift says")
        #endif
    }

    private func name(_ path: FilePath?) -> String {
        "the \(self) lock" + (path.map { " \($0)" } ?? "")
    }
}

/// A lock that a thread has, for ``LockOrder``. Ends with the value; a release build notes nothing.
struct HeldLock: ~Copyable {
    #if DEBUG
    /// A lock of a thread.
    struct Note: Sendable {
        let number: UInt64
        let threadNumber: UInt
        let rank: LockOrder
        let lockFile: FilePath?
    }

    private static let notes = Mutex<(last: UInt64, held: [Note])>((0, []))
    private let number: UInt64

    static var ofThisThread: [Note] {
        let thread = ThreadIdentity.current
        return notes.withLock { notes in notes.held.filter { $0.threadNumber == thread } }
    }

    init(_ rank: LockOrder, _ path: FilePath? = nil) {
        let place = path.flatMap { try? RealPath.of($0) }
        let thread = ThreadIdentity.current
        number = Self.notes.withLock { notes in
            notes.last += 1
            notes.held.append(Note(number: notes.last, threadNumber: thread, rank: rank, lockFile: place))
            return notes.last
        }
    }

    deinit {
        let number = number
        Self.notes.withLock { notes in notes.held.removeAll { $0.number == number } }
    }
    #else
    init(_ rank: LockOrder, _ path: FilePath? = nil) {}
    #endif
}
