/// Limits how often a job calls the program while there is no news: often enough to stop it by hand, and rarely enough
/// to cost nothing.
struct Ticker {
    /// In microseconds.
    private static let interval: Int64 = 50_000
    private var last: Int64 = 0

    /// Whether the interval has passed since this was last true.
    mutating func isDue() -> Bool {
        let now = Clock.monotonicMicroseconds
        guard now - last > Self.interval else { return false }
        last = now
        return true
    }
}
