internal import CSQLCipher

/// A statement that has run, as a trace tells of it.
public struct TraceEvent: Sendable, Hashable {
    /// The SQL with its literals replaced; bound values are never in it.
    public let sql: String
    /// How long it took from its first step to its end, what its rows were used for included.
    public let duration: Duration
}
