internal import Synchronization

/// Those who want to know what each commit of a store has changed.
final class Observers: Sendable {
    private let boxes = Mutex<[ObjectIdentifier: ChangeBox]>([:])

    /// Whether there is anyone: else nothing need be collected.
    var areThere: Bool { boxes.withLock { !$0.isEmpty } }

    /// Tells everyone.
    func publish(_ changes: DatabaseChanges) {
        guard !changes.isEmpty else { return }
        for box in boxes.withLock({ Array($0.values) }) { box.put(changes) }
    }

    /// Begins to keep the changes of coming commits for somebody. They end when the box goes away.
    func add() -> ChangeBox {
        let box = ChangeBox()
        boxes.withLock { $0[ObjectIdentifier(box)] = box }
        return box
    }

    func remove(_ box: ChangeBox) { boxes.withLock { $0[ObjectIdentifier(box)] = nil } }

    /// There will be no more changes.
    func end() { for box in boxes.withLock({ Array($0.values) }) { box.end() } }
}

/// What has changed since somebody last asked; what comes in between is merged, so that a slow consumer
/// costs no memory.
final class ChangeBox: Sendable {
    // Sendable by this proof: the continuation is resumed once, by whoever takes it out under the lock.
    @safe
    private struct State: @unchecked Sendable {
        var changes = DatabaseChanges()
        var waiter: UnsafeContinuation<Void, Never>?
        var hasEnded = false
    }

    private let state = Mutex(State())

    func put(_ changes: DatabaseChanges) { wake { $0.changes.merge(changes) } }

    func end() { wake { $0.hasEnded = true } }

    /// Waits until something has changed; nil at the end, or when the task is cancelled. One consumer.
    func next() async -> DatabaseChanges? {
        await withTaskCancellationHandler {
            await unsafe withUnsafeContinuation { continuation in
                let isReady = state.withLock { state in
                    guard state.changes.isEmpty, !state.hasEnded else { return true }
                    unsafe state.waiter = unsafe continuation
                    return false
                }
                if isReady { unsafe continuation.resume() }
            }
        } onCancel: {
            end()
        }
        return state.withLock { state in
            guard !state.changes.isEmpty else { return nil }
            defer { state.changes = DatabaseChanges() }
            return state.changes
        }
    }

    private func wake(_ change: (inout State) -> Void) {
        let waiter = unsafe state.withLock { state in
            change(&state)
            defer { unsafe state.waiter = nil }
            return unsafe state.waiter
        }
        unsafe waiter?.resume()
    }
}
