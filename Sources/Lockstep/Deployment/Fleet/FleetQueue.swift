internal import Synchronization

/// Hands out the files of a fleet by index, and collects their results.
// Sendable by this proof: every property is touched only while the condition's lock is held.
final class FleetQueue: @unchecked Sendable {
    private let changed = Condition()
    private let count: Int
    private var nextFile = 0
    private var results: [FleetResult] = []
    private var workers = 0
    private var ticker = Ticker()
    private var hasTicked = false
    private let stopped = Atomic<Bool>(false)

    init(count: Int) { self.count = count }

    /// What the waiting thread gets.
    enum News {
        case finished(FleetResult)
        /// A moment has passed in which the program can stop the fleet.
        case tick
    }

    func stop() { stopped.store(true, ordering: .relaxed) }

    /// Wakes the waiting thread from time to time, and returns whether to continue. Called by the jobs, within
    /// statements too.
    func shouldContinue() -> Bool {
        changed.locked {
            guard ticker.isDue() else { return }
            hasTicked = true
            changed.broadcast()
        }
        return !stopped.load(ordering: .relaxed)
    }

    /// Called before a thread starts to work.
    func began() { changed.locked { workers += 1 } }

    /// Called when a thread has ended, or could not start.
    func ended() {
        changed.locked {
            workers -= 1
            changed.broadcast()
        }
    }

    /// Works on one file after another until there is none left.
    func work(_ job: (Int) -> FleetResult) {
        while let file = take() {
            let result = job(file)
            changed.locked {
                results.append(result)
                changed.broadcast()
            }
        }
        ended()
    }

    private func take() -> Int? {
        changed.locked {
            guard nextFile < count else { return nil }
            defer { nextFile += 1 }
            return nextFile
        }
    }

    /// The next news, as soon as there are any; nil when all files are done.
    func next() -> News? {
        changed.locked {
            while results.isEmpty && workers > 0 && !hasTicked { changed.wait() }
            hasTicked = false
            guard results.isEmpty else { return .finished(results.removeFirst()) }
            return workers > 0 ? .tick : nil
        }
    }
}
