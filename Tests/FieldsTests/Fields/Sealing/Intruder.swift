import Foundation

@testable import EngineTestSupport
@testable import Lockstep

/// Another program, which does something each time that a prefetch comes to a point: between the reading of a batch's
/// rows and the writing of their cells.
final class Intruder: Sendable {
    typealias Point = SealingPrefetch.Trial.Point

    private let point: Point
    private let work: @Sendable (Int) throws -> Void
    // Not a Mutex: the thread sanitizer does not know it for a lock.
    private let lock = NSLock()
    // Safe by this proof: touched only while the lock is held.
    nonisolated(unsafe) private var count = 0
    nonisolated(unsafe) private var running = 0
    nonisolated(unsafe) private var failure: (any Error)?

    /// - Parameter work: What it does, with the number of times that it has come.
    init(at point: Point, _ work: @escaping @Sendable (_ count: Int) throws -> Void) {
        self.point = point
        self.work = work
    }

    /// Commits to a schedule's table.
    convenience init(
        at point: Point, in schedule: SealingSchedule, keys: FieldKeys? = nil,
        _ steps: @escaping @Sendable (Int) -> [SealingSchedule.Step]
    ) {
        self.init(at: point) { count in
            try schedule.write(steps(count), on: schedule.open(keys ?? schedule.keys))
        }
    }

    /// How often it came.
    var visits: Int { lock.withLock { count } }

    /// How many jobs of prefetches have begun and not ended.
    var jobs: Int { lock.withLock { running } }

    /// Runs a change beside it.
    func beside<Result>(comparing: Bool = true, _ change: () throws -> Result) throws -> Result {
        var trial = SealingPrefetch.Trial()
        trial.comparesCells = comparing
        trial.reach = { self.reach($0) }
        let result = try SealingPrefetch.$trial.withValue(trial, operation: change)
        if let failure = lock.withLock({ failure }) { throw failure }
        return result
    }

    private func reach(_ reached: Point) {
        let visit = lock.withLock {
            if reached == .begins { running += 1 }
            if reached == .made { running -= 1 }
            if reached == point { count += 1 }
            return count
        }
        guard reached == point else { return }
        do {
            // The changes that it makes have no intruder.
            try SealingPrefetch.$trial.withValue(.init()) { try work(visit) }
        } catch {
            lock.withLock { failure = failure ?? error }
        }
    }
}
