/// A search term as a phrase of FTS5's query language, in which no character is an operator.
struct SearchPhrase {
    /// The quoted phrase.
    let text: String

    /// Nil for a term of only white space, which no text contains.
    init?(_ words: String) {
        guard !words.allSatisfy({ $0.isWhitespace || $0 == "\0" }) else { return nil }
        var text = "\""
        for scalar in words.unicodeScalars {
            switch scalar {
            case "\"": text += "\"\""
            // FTS5 reads its query up to the first NUL; in a text a NUL separates words as a space does.
            case "\0": text += " "
            default: text.unicodeScalars.append(scalar)
            }
        }
        self.text = text + "\""
    }
}
