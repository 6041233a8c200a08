/// The common parts of definitions. A definition in an unexpected form is compared as a whole.
extension SQLCursor {
    /// Reads a definition, without semicolons at its end.
    init(definition sql: String) {
        var tokens = SQLCursor(sql).tokens
        while tokens.last?.word == ";" { tokens.removeLast() }
        self.init(tokens)
    }

    /// Reads the header of an object, `CREATE … IF NOT EXISTS schema.name`. Throws unless the object is the
    /// expected one.
    /// - Returns: Whether `word`, such as UNIQUE, precedes the type.
    mutating func header(
        _ type: String, named expected: String, allowing word: String? = nil
    ) throws(Unexpected) -> Bool {
        try require("create")
        let hasWord = word.map { take($0) } ?? false
        try require(type)
        // `if` alone can be a name.
        _ = take("if", "not", "exists")
        guard try objectName() == SQLName(expected) else { throw Unexpected() }
        return hasWord
    }

    /// Reads names in parentheses, as a form.
    mutating func nameList() throws(Unexpected) -> SQLForm {
        var cursor = SQLCursor(try group())
        var names: [SQLForm] = []
        repeat { names.append(SQLForm([SQLForm.name(try cursor.name())])) } while cursor.take(",")
        try cursor.requireEnd()
        return SQLForm(["("]) + .list(names) + SQLForm([")"])
    }

    /// Splits tokens at the commas outside parentheses.
    static func parts(_ tokens: some Sequence<Token>) -> [[Token]] {
        var parts: [[Token]] = [[]]
        var depth = 0
        for token in tokens {
            switch token.word {
            case "(": depth += 1
            case ")": depth -= 1
            default: break
            }
            if token.word == ",", depth == 0 {
                parts.append([])
            } else {
                parts[parts.count - 1].append(token)
            }
        }
        return parts
    }
}
