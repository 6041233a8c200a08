/// The checksums of a file, from the strictest to the most lenient. They distinguish a file whose line endings or
/// comments changed from a file whose statements changed.
package struct MigrationChecksums: Sendable, Equatable {
    /// SHA-256 of the bytes.
    package let bytes: [UInt8]
    /// SHA-256 of the text with LF line endings and without a byte order mark.
    package let text: [UInt8]
    /// SHA-256 of the SQL tokens, without white space and comments; directives count.
    package let tokens: [UInt8]

    package init(bytes: [UInt8], text: [UInt8], tokens: [UInt8]) {
        (self.bytes, self.text, self.tokens) = (bytes, text, tokens)
    }

    /// - Parameter markers: Returns the meaning of a comment in the file's layout; a marker counts like SQL.
    ///   Returns nil for an ordinary comment.
    init(
        bytes: [UInt8], text: String, _ lexis: Lexis = .sqlite,
        markers: (String) -> String? = { _ in nil }
    ) throws(LockstepError) {
        let lines = Self.withPlainLineEndings(text)
        self.bytes = try HashFunction.sha256.digest(bytes.span)
        let content = Array(lines.utf8)
        self.text =
            content == bytes ? self.bytes : try HashFunction.sha256.digest(content.span)
        tokens = try HashFunction.sha256.digest(Self.significant(content, lexis, markers).span)
    }

    /// Whether two scripts are equal except for white space, comments and line endings; directives count.
    static func areAlike(_ one: String, _ other: String, _ lexis: Lexis) -> Bool {
        one.hasSameBytes(as: other)
            || significant(Array(withPlainLineEndings(one).utf8), lexis)
                == significant(Array(withPlainLineEndings(other).utf8), lexis)
    }

    private static func withPlainLineEndings(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "\r")) else { return text }
        return text.split(separator: "\r\n", omittingEmptySubsequences: false)
            .joined(separator: "\n")
    }

    /// The tokens that count, one per line, with words in lower case.
    static func significant(
        _ text: [UInt8], _ lexis: Lexis = .sqlite, _ markers: (String) -> String? = { _ in nil }
    ) -> [UInt8] {
        var lines: [UInt8] = []
        lines.reserveCapacity(text.count)
        func beginLine() {
            if !lines.isEmpty { lines.append(UInt8(ascii: "\n")) }
        }
        for token in SQLTokens(text, from: 0, lexis) {
            switch token.kind {
            case .space: continue
            case .comment:
                let comment = String(decoding: text[token.range], as: UTF8.self)
                if let directive = Directive.content(of: comment) {
                    beginLine()
                    lines += "-- lockstep: ".utf8
                    lines += significant(Array(directive.utf8))
                } else if let marker = markers(comment) {
                    beginLine()
                    lines += "-- \(marker)".utf8
                }
            case .word:
                beginLine()
                lines += text[token.range].lazy.map { $0.asciiLowercased }
            default:
                beginLine()
                lines.append(contentsOf: text[token.range])
            }
        }
        return lines
    }
}
