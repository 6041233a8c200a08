/// The constraints of a column, as its definition lists them after the type.
struct ColumnConstraints {
    /// The names of the table's columns.
    let columns: Set<SQLName>
    private var found: [(rank: Rank, form: SQLForm)] = []

    /// The order of constraints in a form. SQLite accepts them in any order; of two defaults or two collations,
    /// the last one counts.
    private enum Rank: Int {
        case primaryKey, notNull, null, unique, check, fallback, collation, references, generated
        case name
    }

    init(_ columns: Set<SQLName>) { self.columns = columns }

    /// All constraints, in an order that does not depend on the order in the definition.
    var form: SQLForm {
        let ordered = found.enumerated().sorted { one, other in
            let ranks = (one.element.rank.rawValue, other.element.rank.rawValue)
            guard ranks.0 == ranks.1 else { return ranks.0 < ranks.1 }
            switch one.element.rank {
            case .fallback, .collation: return one.offset < other.offset
            default:
                return one.element.form < other.element.form
            }
        }
        return ordered.reduce(into: SQLForm()) { $0 += $1.element.form }
    }

    /// Reads all constraints to the end.
    mutating func read(_ cursor: inout SQLCursor) throws(SQLCursor.Unexpected) {
        while !cursor.isAtEnd {
            var form = SQLForm()
            while cursor.take("constraint") {
                form.tokens += ["constraint", SQLForm.name(try cursor.name())]
            }
            guard !cursor.isAtEnd else {
                // SQLite accepts a name without a constraint.
                found.append((.name, form))
                return
            }
            let (rank, constraint) = try read(one: &cursor)
            found.append((rank, form + constraint))
        }
    }

    private func read(
        one cursor: inout SQLCursor
    ) throws(SQLCursor.Unexpected) -> (Rank, SQLForm) {
        if cursor.take("primary", "key") {
            var form = SQLForm(["primary", "key"])
            if !cursor.take("asc"), cursor.take("desc") { form.tokens.append("desc") }
            form += try cursor.conflictClause()
            if cursor.take("autoincrement") { form.tokens.append("autoincrement") }
            return (.primaryKey, form)
        }
        if cursor.take("not", "null") {
            return (.notNull, SQLForm(["not", "null"]) + (try cursor.conflictClause()))
        }
        if cursor.take("null") {
            return (.null, SQLForm(["null"]) + (try cursor.conflictClause()))
        }
        if cursor.take("unique") {
            return (.unique, SQLForm(["unique"]) + (try cursor.conflictClause()))
        }
        if cursor.take("check") { return (.check, try cursor.check(columns)) }
        if cursor.take("default") { return (.fallback, try Self.fallback(&cursor)) }
        if cursor.take("collate") {
            return (.collation, SQLForm(["collate", SQLForm.name(try cursor.name())]))
        }
        if cursor.take("references") { return (.references, try cursor.reference()) }
        // GENERATED ALWAYS adds no meaning.
        if cursor.take("generated", "always", "as") || cursor.take("as") {
            let expression = SQLForm(try cursor.group(), .columns(columns))
            let isStored = cursor.take("stored")
            if !isStored { _ = cursor.take("virtual") }
            return (.generated, SQLForm(["as", "("]) + expression + SQLForm([")", isStored ? "stored" : "virtual"]))
        }
        throw SQLCursor.Unexpected()
    }

    /// `DEFAULT 1` equals `DEFAULT (1)`. A word, quoted or not, is a string, so its case matters.
    private static func fallback(
        _ cursor: inout SQLCursor
    ) throws(SQLCursor.Unexpected) -> SQLForm {
        var value: [SQLCursor.Token] = []
        if cursor.peek() == "(" {
            value = Array(try cursor.group())
            while let inner = Self.withoutParentheses(value) { value = inner }
        } else {
            if cursor.peek() == "+" || cursor.peek() == "-" { value.append(try cursor.next()) }
            value.append(try cursor.next())
        }
        guard value.count == 1, let only = value.first else {
            return SQLForm(["default"]) + SQLForm(value, .nothing)
        }
        switch only.kind {
        case .word where !keywords.contains(only.word), .quotedName:
            return SQLForm(["default", NameScope.literal(SQLTokens.unquote(only.text))])
        default: return SQLForm(["default"]) + SQLForm(value, .nothing)
        }
    }

    private static let keywords: Set<String> = [
        "null", "true", "false", "current_date", "current_time", "current_timestamp",
    ]

    /// The content of a pair of parentheses, if the pair encloses all tokens.
    private static func withoutParentheses(
        _ tokens: [SQLCursor.Token]
    ) -> [SQLCursor.Token]? {
        var cursor = SQLCursor(tokens)
        guard let inner = try? cursor.group(), cursor.isAtEnd else { return nil }
        return Array(inner)
    }
}

/// Clauses that columns and tables share.
extension SQLCursor {
    mutating func conflictClause() throws(Unexpected) -> SQLForm {
        guard take("on", "conflict") else { return SQLForm() }
        let action = try next().word
        guard ["rollback", "abort", "fail", "ignore", "replace"].contains(action) else {
            throw Unexpected()
        }
        return SQLForm(["on", "conflict", ExactText(action)])
    }

    mutating func check(_ columns: Set<SQLName>) throws(Unexpected) -> SQLForm {
        let condition = SQLForm(try group(), .columns(columns))
        return SQLForm(["check", "("]) + condition + SQLForm([")"])
    }

    /// Reads the clauses after REFERENCES.
    mutating func reference() throws(Unexpected) -> SQLForm {
        var form = SQLForm(["references", SQLForm.name(try name())])
        if peek() == "(" { form += try nameList() }
        var actions: [String: [ExactText]] = [:]  // exact: words of the source
        var match: [ExactText] = []
        while true {
            if take("on") {
                let event = try next().word
                guard ["delete", "update", "insert"].contains(event) else { throw Unexpected() }
                actions[event] = try action()
            } else if take("match") {
                match = ["match", SQLForm.name(try name())]
            } else {
                break
            }
        }
        for event in actions.keys.sorted() {
            // NO ACTION is the default.
            guard let action = actions[event], action != ["no", "action"] || event == "insert" else { continue }
            form.tokens += ["on", ExactText(event)] + action
        }
        form.tokens += match
        if take("not", "deferrable") {
            form.tokens += ["not", "deferrable"]
        } else if take("deferrable") {
            form.tokens.append("deferrable")
        } else {
            return form
        }
        if take("initially", "deferred") { form.tokens += ["initially", "deferred"] }
        if take("initially", "immediate") { form.tokens += ["initially", "immediate"] }
        return form
    }

    private mutating func action() throws(Unexpected) -> [ExactText] {
        for words in [["set", "null"], ["set", "default"], ["no", "action"]]
        where take(words[0], words[1]) { return words.map { ExactText($0) } }
        let word = try next().word
        guard ["cascade", "restrict"].contains(word) else { throw Unexpected() }
        return [ExactText(word)]
    }
}
