internal import Synchronization

/// Those who want to know what each commit of a store has changed.
final class Observers: Sendable {
    private struct State {
        var boxes: [ObjectIdentifier: ChangeBox] = [:]
        var hasEnded = false
    }

    private let state = Mutex(State())

    /// Whether there is anyone: else nothing need be collected.
    var areThere: Bool { state.withLock { !$0.boxes.isEmpty } }

    /// Tells everyone.
    func publish(_ changes: DatabaseChanges) {
        guard !changes.isEmpty else { return }
        for box in state.withLock({ Array($0.boxes.values) }) { box.put(changes) }
    }

    /// Begins to keep the changes of coming commits for somebody. They end when the box goes away.
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

    /// There will be no more changes.
    func end() {
        let boxes = state.withLock { state in
            state.hasEnded = true
            return Array(state.boxes.values)
        }
        for box in boxes { box.end() }
    }
}

/// What has changed since somebody last asked; what comes in between is merged, so that a slow consumer
/// costs no memory.
// Sendable by this proof: `state` is touched only while the lock is held, and the continuation is resumed once,
// by whoever takes it out.
final class ChangeBox: @unchecked Sendable {
    @safe
    private struct State {
        var changes = DatabaseChanges()
        var waiter: UnsafeContinuation<Void, Never>?
        var hasEnded = false
    }

    private let lock = Condition()
    private var state = State()

    func put(_ changes: DatabaseChanges) { wake { $0.changes.merge(changes) } }

    func end() { wake { $0.hasEnded = true } }

    /// Waits until something has changed; nil at the end, or when the task is cancelled. One consumer.
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
