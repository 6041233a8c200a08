/// Why a file, or a line or card of one, is not imported, without any of its content.
struct ImportProblem: Error {
    let reason: String
    /// Whether the file is valid, and left out only because its content is already stored.
    let isKnown: Bool

    init(_ reason: String, isKnown: Bool = false) {
        self.reason = reason
        self.isKnown = isKnown
    }
}
