import Foundation

/// The random or exhaustive work of one suite: parts that repeat steps until they are complete, or until its time is
/// over. The long form gets its time from ``Torture/duration``.
///
/// A part is a test, or one of a test's arguments. Parts that run one after another divide the time that is left; parts
/// that run at the same time share it. Each part prints one line, however it ends: see ``CampaignLine``.
public final class Campaign: Sendable {
    /// What a campaign knows of the process it runs in.
    public struct Surroundings: Sendable {
        /// The time of the whole campaign; nil if it ends by itself.
        public var limit: Duration?
        /// Whether work that could be completed is limited, too.
        public var isLong: Bool
        /// The time since a fixed moment.
        public var now: @Sendable () -> Duration
        /// Whether somebody has asked for the end.
        public var isEnding: @Sendable () -> Bool
        /// Prints a line.
        public var show: @Sendable (String) -> Void

        /// Surroundings for a test of campaigns.
        public init(
            limit: Duration?, isLong: Bool, now: @escaping @Sendable () -> Duration,
            isEnding: @escaping @Sendable () -> Bool, show: @escaping @Sendable (String) -> Void
        ) {
            self.limit = limit
            self.isLong = isLong
            self.now = now
            self.isEnding = isEnding
            self.show = show
        }

        private static let start = ContinuousClock.now

        /// This process, by its environment and its signals.
        public static let process = Surroundings(
            limit: Torture.duration, isLong: Torture.isLong, now: { ContinuousClock.now - start },
            isEnding: { CampaignSignals.haveAskedForEnd },
            show: { FileHandle.standardOutput.write(Data("\($0)\n".utf8)) })
    }

    private struct State {
        var end: Duration?
        var waiting: Int
        var running = 0
    }

    let name: String
    let seed: UInt64
    let surroundings: Surroundings
    // Not a Mutex: the thread sanitizer does not know it for a lock.
    private let lock = NSLock()
    // Safe by this proof: touched only while the lock is held.
    nonisolated(unsafe) private var state: State

    /// - Parameters:
    ///   - name: The suite.
    ///   - parts: How many parts divide the time.
    ///   - seed: What repeats it.
    public init(
        _ name: String, parts: Int = 1, seed: UInt64 = Torture.campaignSeed, in surroundings: Surroundings = .process
    ) {
        self.name = name
        self.seed = seed
        self.surroundings = surroundings
        state = State(waiting: parts)
    }

    /// Begins a part, which the caller ends with ``CampaignPart/end()``. Nil if the campaign has no time left: then the
    /// part's line says that it made no step.
    public func begin(_ part: String = "") -> CampaignPart? {
        let now = surroundings.now()
        let end = lock.withLock {
            state.waiting -= 1
            state.running += 1
            if state.end == nil, let limit = surroundings.limit {
                state.end = now + limit
            }
            return state.end
        }
        let begun = CampaignPart(part, of: self, from: now, to: end)
        CampaignSignals.watch(begun)
        guard surroundings.isLong, begun.isTimeOver else { return begun }
        begun.stopBeforeStep()
        begun.end()
        return nil
    }

    /// The end of a part that began at `start`, if the campaign ends at `end`: it changes while other parts begin and
    /// end.
    func share(from start: Duration, to end: Duration) -> Duration {
        lock.withLock {
            let running = max(state.running, 1)
            let waiting = max(state.waiting, 0)
            return start + (end - start) * running / (running + waiting)
        }
    }

    func endPart() { lock.withLock { state.running -= 1 } }
}
