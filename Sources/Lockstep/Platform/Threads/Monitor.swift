/// A value that threads use one at a time, and whose changes they can wait for.
// Sendable by this proof: `state` is `Sendable`, and is accessed only in `locked` and `wait`, while `changed` is locked.
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

/// Makes threads wait until it is opened; it then stays open.
final class Latch: Sendable {
    private let isOpen = Monitor(false)

    func open() {
        isOpen.locked { $0 = true }
        isOpen.broadcast()
    }

    func wait() { isOpen.wait { $0 ? () : nil } }
}
