/// The rules of a table's definition that keep rows out: what another definition can leave out.
struct TableRules {
    /// Each rule, by a form in which equal ones are equal, with its text.
    private(set) var all: [String: String] = [:]  // exact: texts that this type makes

    /// Nil if the definition cannot be read.
    init?(_ sql: String) {
        var cursor = SQLCursor(sql)
        guard (try? cursor.upTo("table")) != nil, (try? cursor.objectName()) != nil,
            let inner = try? cursor.group()
        else { return nil }
        for part in SQLCursor.parts(inner) { read(part) }
    }

    private mutating func read(_ part: [SQLCursor.Token]) {
        let own = ["constraint", "primary", "unique", "check", "foreign"].contains(part.first?.word ?? "")
        var depth = 0
        for index in part.indices {
            if part[index].word == ")" { depth -= 1 }
            if depth == 0 {
                switch part[index].word {
                case "unique": add("UNIQUE", own ? Self.group(part, after: index) : [part[0]])
                case "check": add("CHECK", Self.group(part, after: index))
                case "references":
                    let child = own ? Self.group(part, after: part.firstIndex { $0.word == "key" } ?? index) : [part[0]]
                    add("the foreign key of", child)
                default: break
                }
            }
            if part[index].word == "(" { depth += 1 }
        }
    }

    /// The tokens in the parentheses after a place.
    private static func group(_ part: [SQLCursor.Token], after place: Int) -> [SQLCursor.Token] {
        var cursor = SQLCursor(Array(part[(place + 1)...]))
        return (try? cursor.group()).map(Array.init) ?? []
    }

    private mutating func add(_ kind: String, _ tokens: [SQLCursor.Token]) {
        let form = tokens.map { $0.kind == .word || $0.kind == .quotedName ? $0.name.folded : $0.text }
        all["\(kind) \(form.joined(separator: " "))"] =
            "\(kind) (\(SQLTokens.redact(tokens.map(\.text).joined(separator: " "))))"
    }
}
