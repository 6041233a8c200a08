/// What one statement lets a server do to the process: no answer takes more memory, and no silence more time. A server
/// that goes beyond is no longer believed, and the connection is lost.
public struct ServerLimits: Sendable {
    /// The most bytes that the rows of one result may take in memory; ``ServerConnection`` streams larger ones by
    /// `COPY`.
    public var resultBytes = 512 << 20
    /// The most rows of one result.
    public var resultRows = 50_000_000
    /// The most notices, warnings and notifications beside one result.
    public var notices = 100_000
    /// The longest time without a byte while a statement runs; nil for any time, as a statement that builds an index
    /// is silent for as long as that takes.
    public var silence: Duration?
    /// How long the answer may take to a statement that was cancelled.
    public var cancellation = Duration.seconds(10)

    /// The defaults.
    public init() {}
}
