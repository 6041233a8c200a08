internal import Synchronization

/// The observers of a store's commits.
final class Observers: Sendable {
    private struct State {
        var boxes: [ObjectIdentifier: ChangeBox] = [:]
        var hasEnded = false
    }

    private let state = Mutex(State())

    /// Whether there are no observers: nothing then needs to be collected.
    var isEmpty: Bool { state.withLock { $0.boxes.isEmpty } }

    /// Notifies every observer.
    func publish(_ changes: DatabaseChanges) {
        guard !changes.isEmpty else { return }
        for box in state.withLock({ Array($0.boxes.values) }) { box.put(changes) }
    }

    /// Starts collecting the changes of future commits for one observer, until the box is removed.
    func add() -> ChangeBox {
        let box = ChangeBox()
        let hasEnded = state.withLock { state in
            state.boxes[ObjectIdentifier(box)] = box
            return state.hasEnded
        }
        if hasEnded { box.end() }
        return box
    }

    func remove(_ box: ChangeBox) { state.withLock { $0.boxes[ObjectIdentifier(box)] = nil } }

    /// Ends every observer's sequence.
    func end() {
        let boxes = state.withLock { state in
            state.hasEnded = true
            return Array(state.boxes.values)
        }
        for box in boxes { box.end() }
    }
}

/// The changes since the observer last asked. Changes in between are merged, so that a slow consumer costs no
/// memory.
// Sendable by this proof: `state` is touched only while the lock is held, and the continuation is resumed once,
// by the caller that takes it out.
final class ChangeBox: @unchecked Sendable {
    @safe
    private struct State {
        var changes = DatabaseChanges()
        var waiter: UnsafeContinuation<Void, Never>?
        var hasEnded = false
    }

    private let lock = WaitCondition()
    private var state = State()

    func put(_ changes: DatabaseChanges) { wake { $0.changes.merge(changes) } }

    func end() { wake { $0.hasEnded = true } }

    /// Waits until something has changed; nil at the end or when the task is cancelled. For one consumer.
    func next() async -> DatabaseChanges? {
        await withTaskCancellationHandler {
            await unsafe withUnsafeContinuation { continuation in
                let isReady = lock.locked {
                    guard state.changes.isEmpty, !state.hasEnded else { return true }
                    unsafe state.waiter = unsafe continuation
                    return false
                }
                if isReady { unsafe continuation.resume() }
            }
        } onCancel: {
            end()
        }
        return lock.locked {
            guard !state.changes.isEmpty else { return nil }
            defer { state.changes = DatabaseChanges() }
            return state.changes
        }
    }

    private func wake(_ change: (inout State) -> Void) {
        let waiter = unsafe lock.locked {
            change(&state)
            defer { unsafe state.waiter = nil }
            return unsafe state.waiter
        }
        unsafe waiter?.resume()
    }
}
