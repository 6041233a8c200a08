internal import Synchronization

/// A call of a store, from the moment when it asks for a connection until it returns. `CallGraph.swift` says which
/// calls can be inside of others.
///
/// Nested calls are found wherever a closure makes them: on its own thread, in a task that it starts, or in a sequence
/// that the call reads from, since a task inherits the value.
final class StoreCall: Sendable {
    /// What the call waits for, and then holds while its closure runs.
    enum Need {
        /// One of the readers that all reads share.
        case reader
        case writer
        /// A reader of its own, for a job.
        case snapshot
        /// That nothing else is in use.
        case end
    }

    @TaskLocal private static var current: StoreCall?

    let name: String
    let need: Need
    let store: ObjectIdentifier
    /// The queue in which it can have to wait; nil if it gets what it needs at once, or waits for all of them.
    let queue: ObjectIdentifier?
    /// How many calls that queue serves at once.
    let places: Int
    let outer: StoreCall?
    /// The task of a test that watches calls.
    let trace: CallTrace?
    /// The connection that it lends to sequences in between: see ``LentConnection``.
    let lent: LentConnection?
    private let hasEnded = Atomic<Bool>(false)
    private let isKnown: Bool

    /// A call of this name.
    /// - Throws: ``LockstepError/Code/misuse`` inside of a call of the same store that refuses it, or if it would wait
    ///   for ever.
    init(
        _ name: String, of store: Store, _ need: Need, lent: LentConnection? = nil
    ) throws(LockstepError) {
        let queue = store.queue(for: need)
        self.name = name
        self.need = need
        self.store = ObjectIdentifier(store)
        self.queue = queue.map(ObjectIdentifier.init)
        self.lent = lent
        places = queue?.connections.count ?? 0
        outer = Self.current
        trace = outer?.trace
        isKnown = outer != nil
        guard outer != nil else { return }
        try refuseNested()
        try CallGraph.shared.enter(self)
    }

    /// What a test's task is inside of.
    private init(_ trace: CallTrace) {
        name = ""
        need = .snapshot
        store = ObjectIdentifier(trace)
        queue = nil
        places = 0
        outer = nil
        lent = nil
        isKnown = false
        self.trace = trace
    }

    /// The call that keeps a reader between the chunks of a value, in stores whose streams share the readers.
    init(keeping name: String, of store: Store) {
        let queue = store.queue(for: .reader)
        self.name = name
        need = .reader
        self.store = ObjectIdentifier(store)
        self.queue = queue.map(ObjectIdentifier.init)
        places = 0
        lent = nil
        isKnown = false
        outer = nil
        trace = Self.current?.trace
    }

    // MARK: Inside of others

    /// Whether its closure runs.
    var isOpen: Bool { !hasEnded.load(ordering: .acquiring) }

    /// The calls that it is inside of, from the innermost to the outermost.
    var outerCalls: some Sequence<StoreCall> { sequence(first: self, next: \.outer).dropFirst() }

    /// Whether it is inside of another call's closure.
    func isInside(_ other: StoreCall) -> Bool { outerCalls.contains { $0 === other } }

    private func refuseNested() throws(LockstepError) {
        for open in outerCalls where open.store == store && open.isOpen && open.refuses(self) {
            throw open.refusal
        }
    }

    /// A job lets its progress closure call the store, unless both need the same connection.
    private func refuses(_ inner: StoreCall) -> Bool {
        need != .snapshot || inner.need == .end || queue != nil && queue == inner.queue
    }

    private var refusal: LockstepError {
        LockstepError(
            .misuse, "the store was called from inside its own `\(name)`",
            hint:
                "use the connection that the closure receives, or call the store after `\(name)` has returned"
        )
    }

    /// Refuses to begin a sequence of chunks inside of the store's closures, except where another call streams.
    /// - Throws: ``LockstepError/Code/misuse``.
    static func refuseChunks(of store: Store) throws(LockstepError) {
        guard let current else { return }
        let id = ObjectIdentifier(store)
        for open in sequence(first: current, next: \.outer)
        where open.store == id && open.isOpen && open.need != .snapshot && open.lent == nil {
            throw open.refusal
        }
    }

    /// The connection that a call of this store lends, if the caller is a sequence inside of that call.
    static func lent(by store: Store) -> LentConnection? {
        guard let current else { return nil }
        let id = ObjectIdentifier(store)
        return sequence(first: current, next: \.outer).first { $0.store == id && $0.lent != nil }?.lent
    }

    // MARK: Running

    /// Runs a part of the call's closure, which leaves the connection as it found it.
    func run<Result>(
        on connection: borrowing Connection, _ body: (borrowing Connection) throws -> Result
    ) throws -> Result {
        try run { try connection.core.leavingAsFound { try body(connection) } }
    }

    /// Runs a part of one of the engine's own calls.
    func run<Result>(_ body: () throws -> Result) throws -> Result {
        defer { hasEnded.store(true, ordering: .releasing) }
        hasEnded.store(false, ordering: .releasing)
        return try Self.$current.withValue(self, operation: body)
    }

    /// The same for a part that can suspend.
    func run<Result>(_ body: () async throws -> Result) async throws -> Result {
        defer { hasEnded.store(true, ordering: .releasing) }
        return try await Self.$current.withValue(self, operation: body)
    }

    /// `body` as the call's closure.
    func running<Result>(
        _ body: @escaping @Sendable (borrowing Connection) throws -> Result
    ) -> @Sendable (borrowing Connection) throws -> Result {
        { connection in try self.run(on: connection, body) }
    }

    /// Called once, when the call returns.
    func leave() { if isKnown { CallGraph.shared.leave(self) } }

    /// Runs a test's task, all of whose calls the graph then knows.
    static func traced<Result>(
        _ trace: CallTrace, _ body: () async throws -> Result
    ) async rethrows -> Result {
        try await $current.withValue(StoreCall(trace), operation: body)
    }
}

/// A connection that a call holds across suspensions, and lends to the sequence that it reads from.
// Sendable by this proof: `pooled` is touched only while the lock is held.
final class LentConnection: @unchecked Sendable {
    private let lock = WaitCondition()
    private var pooled: PooledConnection?

    /// Begins to lend it.
    func begin(_ pooled: PooledConnection) { lock.locked { self.pooled = pooled } }

    /// Waits for a use that goes on, and ends the loan.
    func end() { lock.locked { pooled = nil } }

    /// Runs `body` with the connection, one caller at a time; nil before and after the loan.
    func use<Result>(_ body: (borrowing Connection) throws -> Result) throws -> Result? {
        try lock.locked { try pooled?.use(body) }
    }
}
