/// A callback into the program while a statement runs, which can interrupt it.
public struct ProgressHandler: Sendable {
    let interval: Int
    let shouldContinue: @Sendable () -> Bool

    /// - Parameters:
    ///   - interval: How many instructions SQLite's virtual machine runs between two calls: 1000 take
    ///     some 10 to 100 µs.
    ///   - shouldContinue: Returning false ends the statement with ``LockstepError/Code/interrupted``.
    public init(every interval: Int, shouldContinue: @escaping @Sendable () -> Bool) {
        self.interval = interval
        self.shouldContinue = shouldContinue
    }
}
