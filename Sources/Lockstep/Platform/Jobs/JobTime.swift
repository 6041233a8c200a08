/// When a job began, and how long it took.
public struct JobTime: Sendable, Hashable {
    /// When it began.
    public let startedAt = Timestamp.now
    /// How long it took, by a clock that never jumps; zero until it ends.
    public private(set) var duration = Duration.zero
    private let start = Clock.monotonicMicroseconds

    init() {}

    /// The same time, with a duration until now.
    package func ended() -> JobTime {
        var time = self
        time.duration = Clock.time(since: start)
        return time
    }
}
