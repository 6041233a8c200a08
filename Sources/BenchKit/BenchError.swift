/// Why nothing is compared: which program has which problem, and what to do next.
package struct BenchError: Error, Hashable, CustomStringConvertible {
    package let message: String
    package let hint: String?

    package init(_ message: String, hint: String? = nil) {
        self.message = message
        self.hint = hint
    }

    /// The message, then the hint on a separate line.
    package var description: String { hint.map { "\(message)\nhint: \($0)" } ?? message }
}

extension BenchError {
    /// The defect of JSON that could not be read.
    package static func reason(_ error: any Error) -> String {
        switch error as? DecodingError {
        case .keyNotFound(let key, _): "the field \(key.stringValue) is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            "the field \(context.codingPath.map(\.stringValue).joined(separator: ".")) has " + "the wrong type"
        case .dataCorrupted(let context) where !context.codingPath.isEmpty:
            "the field \(context.codingPath.map(\.stringValue).joined(separator: ".")) has an " + "invalid value"
        default: "it is not JSON"
        }
    }
}
