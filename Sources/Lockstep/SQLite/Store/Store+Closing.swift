internal import Synchronization

extension Store {
    /// Refuses new calls, ends the sequences of chunks, waits until the running calls have ended, closes the
    /// connections, and wipes the key. A store also closes when its last reference is released.
    ///
    /// A sequence of chunks (``chunks(of:size:)``) that has not ended gets the error ``LockstepError/Code/closed`` as
    /// its next chunk; a value that is being inserted is inserted completely first. Cancelling the task does not keep
    /// the store open.
    /// - Throws: ``LockstepError/Code/misuse`` if called inside of a closure of the store, a job's progress closure, or
    ///   the sequence of an ``insertBlob(into:_:from:row:)``, for which it would wait; the store then remains open.
    @concurrent
    public func close() async throws(LockstepError) {
        let call = try StoreCall("close", of: self, .end)
        defer { call.leave() }
        shutDown()
        await ended.opening()
    }

    /// Closes everything as soon as nothing is in use.
    func shutDown() {
        guard !isEnding.exchange(true, ordering: .acquiringAndReleasing) else { return }
        let (ended, readers, snapshots) = (ended, readers, snapshots)
        let (writer, checkpointer, observers, source) = (writer, checkpointer, observers, source)
        let inUse = Countdown(3) {
            observers.end()
            for pooled in readers?.connections ?? [] { pooled.close() }
            checkpointer?.close()
            // The last connection to close checkpoints the log, unless the file was moved or replaced: SQLite then
            // leaves the log to those who have it.
            writer.pooled.close()
            source.wipe()
            ended.open()
        }
        let step: @Sendable () -> Void = { inUse.step() }
        if let snapshots { snapshots.close(then: step) } else { step() }
        if let readers { readers.close(then: step) } else { step() }
        writer.queue.close(then: step)
    }
}

extension Store.Blocking {
    /// Closes the store, and blocks the calling thread until that is done: see ``Store/close()``.
    /// - Throws: The errors of ``Store/close()``.
    @available(*, noasync, message: "this blocks the thread: use `try await store.close`")
    public func close() throws(LockstepError) {
        let call = try StoreCall("close", of: store, .end)
        defer { call.leave() }
        guard !store.isServedHere else { throw ConnectionQueue.servedHere }
        store.shutDown()
        store.ended.wait()
    }
}

extension Store {
    /// Whether one of the store's connections waits for the calling thread.
    fileprivate var isServedHere: Bool {
        writer.queue.isServedHere || readers?.isServedHere == true
            || snapshots?.isServedHere == true || checkpointer?.pooled.isServedHere == true
    }
}

/// Runs something after the last of several steps.
private final class Countdown: Sendable {
    private let left: Atomic<Int>
    private let body: @Sendable () -> Void

    init(_ steps: Int, _ body: @escaping @Sendable () -> Void) {
        left = Atomic(steps)
        self.body = body
    }

    func step() {
        if left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { body() }
    }
}
