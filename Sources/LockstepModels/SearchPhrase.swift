/// What somebody looks for, as a phrase of FTS5's query language: no character of it is an operator there.
struct SearchPhrase {
    /// The quoted phrase.
    let text: String

    /// Nil for what is nothing but blanks, which no text contains.
    init?(_ words: String) {
        guard !words.allSatisfy({ $0.isWhitespace || $0 == "\0" }) else { return nil }
        var text = "\""
        for scalar in words.unicodeScalars {
            switch scalar {
            case "\"": text += "\"\""
            // FTS5 reads its query up to the first one; in a text it separates words as a blank does.
            case "\0": text += " "
            default: text.unicodeScalars.append(scalar)
            }
        }
        self.text = text + "\""
    }
}
