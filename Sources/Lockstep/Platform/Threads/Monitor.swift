/// A value that threads use one at a time, and whose changes they can wait for.
// Sendable by this proof: `state` is `Sendable`, and is accessed only in `locked` and `wait`, while `changed` is
// locked.
final class Monitor<State: Sendable>: @unchecked Sendable {
    private let changed = WaitCondition()
    private var state: State

    init(_ state: State) { self.state = state }

    /// Runs `body` while no other thread uses the value.
    func locked<Result, Failure>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try changed.locked { () throws(Failure) in try body(&state) }
    }

    /// Runs `body` now and after each signal, until it returns a result.
    func wait<Result>(for body: (inout State) -> Result?) -> Result {
        changed.locked {
            while true {
                if let result = body(&state) { return result }
                changed.wait()
            }
        }
    }

    /// Wakes one waiting thread.
    func signal() { changed.signal() }

    /// Wakes all waiting threads.
    func broadcast() { changed.broadcast() }
}

/// Makes threads and tasks wait until it is opened; it then stays open.
final class Latch: Sendable {
    private struct State {
        var isOpen = false
        var tasks: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Monitor(State())

    var isOpen: Bool { state.locked { $0.isOpen } }

    func open() {
        let tasks = state.locked { state in
            state.isOpen = true
            defer { state.tasks = [] }
            return state.tasks
        }
        state.broadcast()
        for task in tasks { task.resume() }
    }

    /// Blocks the thread.
    func wait() { state.wait { $0.isOpen ? () : nil } }

    /// Suspends the task, whether it is cancelled or not.
    func opening() async {
        await withCheckedContinuation { task in
            let isOpen = state.locked { state in
                if !state.isOpen { state.tasks.append(task) }
                return state.isOpen
            }
            if isOpen { task.resume() }
        }
    }
}
