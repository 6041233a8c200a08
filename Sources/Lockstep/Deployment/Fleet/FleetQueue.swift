internal import Synchronization

/// Hands out the files of a fleet by index, and collects their results.
// Sendable by this proof: every property is touched only while the condition's lock is held.
final class FleetQueue: @unchecked Sendable {
    private let changed = Condition()
    private let count: Int
    private var nextFile = 0
    private var results: [FleetResult] = []
    private var workers = 0
    private let stopped = Atomic<Bool>(false)

    init(count: Int) { self.count = count }

    /// Whether no further file must begin.
    var isStopped: Bool { stopped.load(ordering: .relaxed) }

    func stop() { stopped.store(true, ordering: .relaxed) }

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

    /// The next result, as soon as there is one; nil when all files are done.
    func next() -> FleetResult? {
        changed.locked {
            while results.isEmpty && workers > 0 { changed.wait() }
            return results.isEmpty ? nil : results.removeFirst()
        }
    }
}
