/// A statement that has run, as a trace reports it.
public struct TraceEvent: Sendable, Hashable {
    /// The SQL with its literals replaced; it never contains bound values.
    public let sql: String
    /// The time from the first step to the end, including the time spent on its rows.
    public let duration: Duration
}
