internal import Synchronization

/// Hands out the files of a fleet by index, and collects their results.
final class FleetQueue: Sendable {
    private struct State {
        var nextFile = 0
        var results: [FleetResult] = []
        var workers = 0
        var ticker = Ticker()
        var hasTicked = false
    }

    private let count: Int
    private let state = Monitor(State())
    private let stopped = Atomic<Bool>(false)

    init(count: Int) { self.count = count }

    /// The message to the waiting thread.
    enum News {
        case finished(FleetResult)
        /// A moment has passed in which the program can stop the fleet.
        case tick
    }

    func stop() { stopped.store(true, ordering: .relaxed) }

    /// Wakes the waiting thread from time to time, and returns whether to continue. Called by the jobs, within
    /// statements too.
    func shouldContinue() -> Bool {
        let hasTicked = state.locked { state in
            guard state.ticker.isDue() else { return false }
            state.hasTicked = true
            return true
        }
        if hasTicked { state.signal() }
        return !stopped.load(ordering: .relaxed)
    }

    /// Called before a thread starts to work.
    func began() { state.locked { $0.workers += 1 } }

    /// Called when a thread has ended, or could not start.
    func ended() {
        state.locked { $0.workers -= 1 }
        state.signal()
    }

    /// Works on one file after another until there is none left.
    func work(_ job: (Int) -> FleetResult) {
        while let file = take() {
            let result = job(file)
            state.locked { $0.results.append(result) }
            state.signal()
        }
        ended()
    }

    private func take() -> Int? {
        state.locked { state in
            guard state.nextFile < count else { return nil }
            defer { state.nextFile += 1 }
            return state.nextFile
        }
    }

    /// The next news, as soon as there are any; nil when all files are done.
    func next() -> News? {
        state.wait { state -> News?? in
            let hasTicked = state.hasTicked
            state.hasTicked = false
            if !state.results.isEmpty { return .finished(state.results.removeFirst()) }
            if state.workers == 0 { return .some(nil) }
            return hasTicked ? .tick : nil
        }
    }
}
