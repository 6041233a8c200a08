/// Splits a migration file into SQL, directives and the markers of its layout, but not the SQL
/// into statements.
struct ScriptSplitter {
    /// A comment with a meaning in a layout.
    enum Marker: Equatable {
        case up(inTransaction: Bool)
        case down(inTransaction: Bool)
        case statementBegin
        case statementEnd
        case noTransaction
        /// A marker without effect.
        case remark
    }

    /// A comment from `--` to the end of its line.
    struct Comment {
        /// The text without the line ending.
        let text: Substring
        let origin: ScriptOrigin
        let line: Int
        /// The text before it on its line: nothing, white space, or other text.
        let lead: Lead
        enum Lead { case nothing, space, something }

        /// The text after the dashes.
        var content: Substring { text.dropFirst(2).trimmingSpace() }

        func malformed(_ what: String, hint: String) -> LockstepError {
            malformed(what, advice: .init(hint))
        }

        func malformed(_ what: String, advice: LockstepError.Advice) -> LockstepError {
            origin.malformed(what, line: line, advice: advice)
        }
    }

    /// The text between two cuts.
    struct Piece {
        enum Content {
            case sql
            case directive(Directive)
            case marker(Marker)
        }
        let content: Content
        /// The line in the file where it begins.
        let line: Int
        /// Its text in the native notation.
        var text: String
    }

    let origin: ScriptOrigin
    /// The rules that divide the text into tokens.
    let lexis: Lexis
    /// The meaning of a comment in the layout; nil for an ordinary comment.
    let marker: (Comment) throws(LockstepError) -> Marker?
    /// Whether `PRAGMA foreign_keys` becomes the equivalent directive: other tools' files switch foreign keys off
    /// and on, which SQLite ignores inside a transaction.
    let readsForeignKeyPragmas: Bool
    /// Whether what is read belongs to a way up.
    private var isUp: Bool
    /// A comment of the way up that could be another tool's marker of the way down.
    private var downMarker: DownMarker?

    private var pieces: [Piece] = []
    /// Markers in order, including those that cut nothing.
    private(set) var marks: [(marker: Marker, line: Int)] = []
    private var sql: [UInt8] = []
    private var sqlLine = 1
    private var isAtStatementStart = true

    /// - Parameter isDown: Whether the whole file is a way down.
    init(
        _ origin: ScriptOrigin, _ lexis: Lexis, readsForeignKeyPragmas: Bool, isDown: Bool = false,
        marker: @escaping (Comment) throws(LockstepError) -> Marker?
    ) {
        self.origin = origin
        self.lexis = lexis
        self.readsForeignKeyPragmas = readsForeignKeyPragmas && lexis == .sqlite
        isUp = !isDown
        self.marker = marker
    }

    /// - Throws: ``LockstepError/Code/migrationMalformed`` with file and line.
    mutating func cut(_ text: String) throws(LockstepError) -> [Piece] {
        let bytes = Array(text.utf8)
        let tokens = Array(SQLTokens(bytes, from: 0, lexis))
        var line = 1
        var index = 0
        while index < tokens.count {
            let token = tokens[index]
            let lines = bytes[token.range].count { $0 == UInt8(ascii: "\n") }
            index += 1
            switch token.kind {
            case .comment: try takeComment(token, bytes, line)
            case .word where readsForeignKeyPragmas && isAtStatementStart:
                guard let pragma = ForeignKeyPragma(bytes, from: token.range.lowerBound) else {
                    try take(token, bytes)
                    break
                }
                try requireNoDownMarker()
                line += takePragma(pragma, bytes[token.range.lowerBound..<pragma.end], line)
                index += tokens[index...].prefix { $0.range.lowerBound < pragma.end }.count
            default: try take(token, bytes)
            }
            line += lines
        }
        flush(nextLine: line)
        return pieces
    }

    private mutating func take(
        _ token: SQLTokens.Token, _ bytes: [UInt8]
    ) throws(LockstepError) {
        sql += bytes[token.range]
        guard token.kind != .space else { return }
        isAtStatementStart = bytes[token.range].elementsEqual([UInt8(ascii: ";")])
        if !isAtStatementStart { try requireNoDownMarker() }
    }

    /// Called where a statement follows.
    private func requireNoDownMarker() throws(LockstepError) {
        if isUp, let downMarker { throw downMarker.refused(origin) }
    }

    /// Notes a comment between statements that stands alone on its line.
    private mutating func noteDownMarker(_ comment: String, _ token: SQLTokens.Token, _ bytes: [UInt8], _ line: Int) {
        guard isUp, downMarker == nil, isAtStatementStart, Self.lead(bytes[..<token.range.lowerBound]) != .something,
            let marker = DownMarker(comment, line: line)
        else { return }
        let rest = bytes[token.range.upperBound...].prefix { $0 != UInt8(ascii: "\n") }
        guard SQLTokens.areBlank(Array(rest), lexis) else { return }
        downMarker = marker
    }

    private mutating func takeComment(
        _ token: SQLTokens.Token, _ bytes: [UInt8], _ line: Int
    ) throws(LockstepError) {
        let raw = String(decoding: bytes[token.range], as: UTF8.self)
        guard raw.begins(with: "--") else {
            noteDownMarker(raw, token, bytes, line)
            sql += bytes[token.range]
            return
        }
        let comment = Comment(
            text: raw.rest(before: "\r") ?? raw[...], origin: origin, line: line,
            lead: Self.lead(bytes[..<token.range.lowerBound]))
        if let marker = try marker(comment) {
            marks.append((marker, line))
            switch marker {
            case .up, .down:
                flush(nextLine: line)
                pieces.append(Piece(content: .marker(marker), line: line, text: raw))
                isAtStatementStart = true
                if case .up = marker { isUp = true } else { isUp = false }
                downMarker = nil
            case .statementEnd:
                // The other tool ends the statement here, with or without a semicolon.
                sql += Array(";".utf8) + bytes[token.range]
                isAtStatementStart = true
            case .statementBegin, .noTransaction, .remark: sql += bytes[token.range]
            }
        } else if let content = Directive.content(of: raw) {
            flush(nextLine: line)
            pieces.append(
                Piece(
                    content: .directive(try Self.directive(content, comment)), line: line,
                    text: raw))
        } else {
            noteDownMarker(raw, token, bytes, line)
            sql += bytes[token.range]
        }
    }

    /// - Returns: The number of line ends in the pragma beyond those of its first token.
    private mutating func takePragma(_ pragma: ForeignKeyPragma, _ bytes: ArraySlice<UInt8>, _ line: Int) -> Int {
        let lines = bytes.count { $0 == UInt8(ascii: "\n") }
        if pragma.isOff {
            flush(nextLine: line)
            pieces.append(
                Piece(
                    content: .directive(.foreignKeysOff), line: line,
                    text: "-- lockstep: \(Directive.foreignKeysOff.spelling)\n"))
            sqlLine = line + lines
        } else {
            sql += Array(repeating: UInt8(ascii: "\n"), count: lines)
        }
        isAtStatementStart = true
        return lines
    }

    private mutating func flush(nextLine line: Int) {
        if !sql.isEmpty {
            pieces.append(
                Piece(
                    content: .sql, line: sqlLine, text: String(decoding: sql, as: UTF8.self)))
        }
        sql = []
        sqlLine = line
    }

    private static func directive(
        _ content: String, _ comment: Comment
    ) throws(LockstepError) -> Directive {
        if let directive = Directive(content) { return directive }
        guard !["up", "down"].contains(content.asciiLowercased) else {
            throw comment.malformed(
                "“\(content)” is a marker of the native layout",
                advice:
                    "this file is read in another layout; name the intended layout with \(.nameLayout)"
            )
        }
        throw comment.malformed(
            "“\(content)” is not a directive of this version",
            hint: "known are: \(Directive.known)")
    }

    private static func lead(_ before: ArraySlice<UInt8>) -> Comment.Lead {
        let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 }
        let line = before[(start ?? before.startIndex)...]
        guard !line.isEmpty else { return .nothing }
        let isBlank = line.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        return isBlank ? .space : .something
    }
}
