internal import Synchronization

/// A call of a store whose closure runs. A call of the same store from inside it is refused: it would wait for a connection
/// that its own caller holds, or read and write beside the closure's transaction.
///
/// Nested calls are found wherever the closure makes them: on its own thread, in a task that it starts, or in a sequence
/// that the call reads from, since a task inherits the value.
final class StoreCall: Sendable {
    @TaskLocal private static var current: StoreCall?

    private let store: ObjectIdentifier
    private let name: String
    private let outer: StoreCall?
    private let hasEnded = Atomic<Bool>(false)

    /// A call of this name.
    /// - Throws: ``LockstepError/Code/misuse`` inside of another call of the same store.
    init(_ name: String, of store: Store) throws(LockstepError) {
        try Self.refuseNested(in: store)
        self.store = ObjectIdentifier(store)
        self.name = name
        outer = Self.current
    }

    /// - Throws: ``LockstepError/Code/misuse`` inside of a call of the store.
    static func refuseNested(in store: Store) throws(LockstepError) {
        let store = ObjectIdentifier(store)
        var call = current
        while let open = call {
            if open.store == store, !open.hasEnded.load(ordering: .acquiring) {
                throw LockstepError(
                    .misuse, "the store was called from inside its own `\(open.name)`",
                    hint:
                        "use the connection that the closure receives, or call the store after `\(open.name)` has returned"
                )
            }
            call = open.outer
        }
    }

    /// Runs a part of the call's closure.
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
}
