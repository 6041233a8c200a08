/// A file's fingerprints, from the strictest to the most lenient, so that a file whose line endings or
/// comments changed can be told from one whose statements did.
struct MigrationChecksums: Sendable, Equatable {
    /// SHA-256 of the bytes.
    let bytes: [UInt8]
    /// SHA-256 of the text with LF line endings and without byte-order mark.
    let text: [UInt8]
    /// SHA-256 of the SQL's tokens: without spacing and comments, directives included.
    let tokens: [UInt8]

    init(bytes: [UInt8], text: [UInt8], tokens: [UInt8]) {
        (self.bytes, self.text, self.tokens) = (bytes, text, tokens)
    }

    /// - Parameter markers: What a comment means to the file's layout: its markers count like SQL. Nil for
    ///   a comment like any other.
    init(
        bytes: [UInt8], text: String, markers: (String) -> String? = { _ in nil }
    ) throws(LockstepError) {
        let lines =
            text.utf8.contains(UInt8(ascii: "\r"))
            ? text.split(separator: "\r\n", omittingEmptySubsequences: false)
                .joined(separator: "\n") : text
        self.bytes = try HashFunction.sha256.digest(bytes.span)
        self.text = try HashFunction.sha256.digest(Array(lines.utf8).span)
        tokens = try HashFunction.sha256.digest(
            Array(Self.significant(lines, markers).utf8).span)
    }

    private static func significant(
        _ text: String, _ markers: (String) -> String? = { _ in nil }
    ) -> String {
        let bytes = Array(text.utf8)
        var pieces: [String] = []
        for token in SQLTokens(text) {
            let piece = String(decoding: bytes[token.range], as: UTF8.self)
            switch token.kind {
            case .space: continue
            case .comment:
                if let directive = Directive.content(of: piece) {
                    pieces.append("-- lockstep: \(significant(directive))")
                } else if let marker = markers(piece) {
                    pieces.append("-- \(marker)")
                }
            case .word: pieces.append(piece.asciiLowercased)
            default: pieces.append(piece)
            }
        }
        return pieces.joined(separator: "\n")
    }
}
