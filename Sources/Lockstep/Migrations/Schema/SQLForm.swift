/// A piece of SQL as tokens, in a form that ignores white space, comments, the case of words and the quoting of
/// names, and keeps everything else.
///
/// The tokens stay separate, so two forms are equal only if all tokens are equal.
struct SQLForm: Sendable, Hashable, Comparable {
    var tokens: [ExactText]

    init(_ tokens: [ExactText] = []) { self.tokens = tokens }

    init(_ tokens: some Sequence<SQLCursor.Token>, _ scope: NameScope) {
        let pieces = Array(tokens)
        var form: [ExactText] = []
        for index in pieces.indices { form += Self.canonical(index, pieces, scope) }
        self.tokens = form
    }

    static func + (one: SQLForm, other: SQLForm) -> SQLForm { SQLForm(one.tokens + other.tokens) }
    static func += (one: inout SQLForm, other: SQLForm) { one.tokens += other.tokens }

    /// Compares the tokens. The order is arbitrary and serves to compare unordered forms.
    static func < (one: SQLForm, other: SQLForm) -> Bool {
        one.tokens.lexicographicallyPrecedes(other.tokens)
    }

    /// The forms, separated by commas.
    static func list(_ forms: [SQLForm]) -> SQLForm {
        SQLForm(Array(forms.map(\.tokens).joined(separator: [","])))
    }

    /// The canonical form of a name in a position where only a name is possible.
    static func name(_ name: SQLName) -> ExactText {
        ExactText(SQLTokens.canonicalName(name.folded))
    }

    // MARK: Tokens

    private static func canonical(
        _ index: Int, _ tokens: [SQLCursor.Token], _ scope: NameScope
    ) -> [ExactText] {
        let token = tokens[index]
        switch token.kind {
        case .word, .quotedName:
            guard !scope.drops(mainAt: index, tokens) else { return [] }
            return [token.kind == .word ? ExactText(token.word) : scope.canonical(index, tokens)]
        // Hexadecimal digits and the letters in numbers have the same meaning in either case.
        case .number, .blob: return [ExactText(token.text.asciiLowercased)]
        default: return scope.drops(dotAt: index, tokens) ? [] : [ExactText(token.text)]
        }
    }

    // MARK: For people

    /// The form on one line.
    var text: String { Self.text(tokens[...]) }

    /// Both forms; long forms are cut to the text around the first difference.
    static func excerpts(_ one: SQLForm, _ other: SQLForm) -> (String, String) {
        let same = zip(one.tokens, other.tokens).prefix { $0 == $1 }.count
        return (one.excerpt(around: same), other.excerpt(around: same))
    }

    private static let longest = 40

    private func excerpt(around index: Int) -> String {
        guard tokens.count > Self.longest else { return text }
        let start = max(min(index - Self.longest / 3, tokens.count - Self.longest), 0)
        let end = min(start + Self.longest, tokens.count)
        return (start > 0 ? "… " : "") + Self.text(tokens[start..<end]) + (end < tokens.count ? " …" : "")
    }

    private static func text(_ tokens: ArraySlice<ExactText>) -> String {
        var text = ""
        var last = "("
        for token in tokens.map(\.text) {
            let isTight = ["(", "."].contains(last) || [")", ",", ".", ";"].contains(token)
            text += isTight ? token : " \(token)"
            last = token
        }
        return text
    }
}
