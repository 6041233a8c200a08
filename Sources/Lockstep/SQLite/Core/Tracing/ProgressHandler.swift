internal import CSQLCipher

/// Calls into the program while a statement runs, so that it can be given up.
public struct ProgressHandler: Sendable {
    let interval: Int
    let goOn: @Sendable () -> Bool

    /// - Parameters:
    ///   - interval: After how many instructions of SQLite's virtual machine each call comes: 1000 are
    ///     some 10 to 100 µs.
    ///   - goOn: False ends the statement with ``LockstepError/Code/interrupted``.
    public init(every interval: Int, goOn: @escaping @Sendable () -> Bool) {
        self.interval = interval
        self.goOn = goOn
    }
}
