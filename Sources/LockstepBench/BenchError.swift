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

extension BenchError {
    /// What is wrong with JSON that was to be read.
    static func reason(_ error: any Error) -> String {
        switch error as? DecodingError {
        case .keyNotFound(let key, _): "the field \(key.stringValue) is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            "the field \(context.codingPath.map(\.stringValue).joined(separator: ".")) is of "
                + "another type"
        case .dataCorrupted(let context) where !context.codingPath.isEmpty:
            "the field \(context.codingPath.map(\.stringValue).joined(separator: ".")) has a "
                + "value that means nothing"
        default: "it is not JSON"
        }
    }
}
