import Testing

@testable import Lockstep

extension ProgressHandler {
    /// Asked before each pause of a wait, it ends the holder's transaction at the third.
    static func ending(
        _ holder: borrowing Connection, _ asked: Counter = Counter()
    ) -> ProgressHandler {
        nonisolated(unsafe) let core = holder.core
        return ProgressHandler(every: 1 << 30) {
            guard asked.increase() == 2 else { return true }
            do { try core.control.run(.commit, on: core) } catch { Issue.record(error) }
            return true
        }
    }
}
