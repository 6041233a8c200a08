/// Why nothing is compared: what is wrong with which program, and what to do next.
struct BenchError: Error, Hashable, CustomStringConvertible {
    let message: String
    let hint: String?

    init(_ message: String, hint: String? = nil) {
        self.message = message
        self.hint = hint
    }

    /// The message, then the hint on a line of its own.
    var description: String { hint.map { "\(message)\nhint: \($0)" } ?? message }
}
