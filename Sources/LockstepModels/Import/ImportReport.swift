/// What an import took, and what it did not.
public struct ImportReport: Sendable, Equatable {
    /// A line that was left out.
    public struct Rejection: Sendable, Equatable {
        /// Its number in the file, from 1 on.
        public let line: Int
        /// Why, without any of its content.
        public let reason: String
    }

    /// Lines that became rows.
    public internal(set) var imported = 0
    /// How many lines were left out.
    public internal(set) var rejected = 0
    /// The first ``mostRejections`` of those, in the file's order.
    public internal(set) var rejections: [Rejection] = []

    /// More would only fill the memory; the count goes on.
    public static let mostRejections = 1000

    mutating func reject(_ line: Int, _ reason: String) {
        rejected += 1
        guard rejections.count < Self.mostRejections else { return }
        rejections.append(Rejection(line: line, reason: reason))
    }
}
