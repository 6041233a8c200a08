/// The request in a `-- lockstep:` comment.
package enum Directive: Sendable, Equatable {
    /// The next CREATE TABLE replaces the definition of this table and keeps its rows.
    case rebuild(table: String)
    /// In a rebuild: the expression that computes a column of the new table.
    case set(column: String, expression: String)
    /// In a rebuild: a column that the new table omits.
    case dropColumn(String)
    case allowLoss(table: String)
    /// The values of a column may go.
    case allowColumnLoss(table: String, column: String)
    /// The values of a column may become others, or NULL.
    case allowChangedValues(table: String, column: String)
    /// The rows of a table are not compared.
    case uncheckedTable(String)
    /// The table's foreign keys may refer to missing rows, whether or not a later version repairs them.
    case allowBrokenReferences(table: String)
    case foreignKeysOff
    /// The script may change the definitions in `sqlite_schema` themselves.
    case allowSchemaEdits
    /// The script runs outside a transaction, for the few statements that SQLite refuses inside one.
    case noTransaction
    /// The next statement runs over the table in batches of this many rows.
    case backfill(table: String, batch: Int)
    /// The values of a column are brought to one form.
    case normalise(Normalisation)
    /// If the next statement changes rows, a notice says how many, with this text.
    case report(String)
    /// A name in double quotes that matches no column is text. This is SQLite's old rule, for files written under
    /// it.
    case doubleQuotedTexts
    /// On a server, the column may hold plaintext; without a column, all columns of the table that are not sealed. A
    /// file is encrypted as a whole.
    case plaintext(table: String, column: String?)
    /// The cells of a column are sealed, unsealed or resealed in batches.
    case sealing(SealingDirective)

    /// The content of a directive comment: `--` and `lockstep:`, with or without white space and in any case. A
    /// stricter rule would let a typing error turn a way down into part of the way up.
    static func content(of comment: String) -> String? {
        guard comment.begins(with: "--") else { return nil }
        let text = Substring(comment.utf8.dropFirst(2)).trimmingSpace().utf8
        let name = "lockstep".utf8
        guard text.prefix(name.count).elementsEqual(name, by: { $0 | 0x20 == $1 }) else {
            return nil
        }
        let rest = Substring(text.dropFirst(name.count)).trimmingSpace().utf8
        guard rest.first == UInt8(ascii: ":") else { return nil }
        return String(Substring(rest.dropFirst()).trimmingSpace())
    }

    /// Reads the text after the prefix; nil if this version does not know the directive.
    package init?(_ text: String) {
        if let sealing = SealingDirective(text) {
            self = .sealing(sealing)
            return
        }
        if let what = Self.reported(text) {
            self = .report(what)
            return
        }
        var cursor = SQLCursor(text, comments: true)
        guard let directive = try? Self.read(&cursor, text), cursor.isAtEnd else { return nil }
        self = directive
    }

    /// The words after `report`, which are no SQL.
    private static func reported(_ text: String) -> String? {
        let words = text.split(separator: " ", maxSplits: 1)
        guard words.count == 2, String(words[0]).asciiLowercased == "report" else { return nil }
        let what = words[1].trimmingSpace()
        return what.isEmpty ? nil : String(what)
    }

    private static func read(
        _ cursor: inout SQLCursor, _ text: String
    ) throws(SQLCursor.Unexpected) -> Directive {
        func name() throws(SQLCursor.Unexpected) -> String { try cursor.next().name.spelling }
        if cursor.take("rebuild", "table") { return .rebuild(table: try name()) }
        if cursor.take("unchecked", "table") { return .uncheckedTable(try name()) }
        if cursor.take("allow", "loss", "of", "table") { return .allowLoss(table: try name()) }
        func columnName() throws(SQLCursor.Unexpected) -> (String, String) {
            let table = try name()
            try cursor.require(".")
            return (table, try name())
        }
        if cursor.take("allow", "loss", "of", "column") {
            let (table, column) = try columnName()
            return .allowColumnLoss(table: table, column: column)
        }
        if cursor.take("allow", "changed", "values", "of", "column") {
            let (table, column) = try columnName()
            return .allowChangedValues(table: table, column: column)
        }
        if cursor.take("allow", "broken", "references", "of", "table") {
            return .allowBrokenReferences(table: try name())
        }
        if cursor.take("plaintext") {
            let table = try name()
            try cursor.require(".")
            return .plaintext(table: table, column: cursor.take("*") ? nil : try name())
        }
        if cursor.take("foreign", "keys", "off") { return .foreignKeysOff }
        if cursor.take("allow", "edits", "of", "schema") { return .allowSchemaEdits }
        if cursor.take("double", "quoted", "texts") { return .doubleQuotedTexts }
        if cursor.take("no", "transaction") { return .noTransaction }
        if cursor.take("drop", "column") { return .dropColumn(try name()) }
        if cursor.take("backfill") {
            let table = try name()
            guard let batch = try batchSize(&cursor) else { throw SQLCursor.Unexpected() }
            return .backfill(table: table, batch: batch)
        }
        if cursor.take("normalise") {
            let (table, column) = try columnName()
            try cursor.require("as")
            guard let form = Normalisation.Form(rawValue: try cursor.next().text.asciiLowercased)
            else { throw SQLCursor.Unexpected() }
            let batch = try batchSize(&cursor)
            return .normalise(.init(table: table, column: column, form: form, batch: batch))
        }
        try cursor.require("set")
        let column = try name()
        try cursor.require("=")
        let expression = Substring(text.utf8.dropFirst(cursor.end)).trimmingSpace()
        guard !cursor.rest().isEmpty else { throw SQLCursor.Unexpected() }
        return .set(column: column, expression: String(expression))
    }

    /// The number of `batch=1000`; nil if nothing follows.
    private static func batchSize(_ cursor: inout SQLCursor) throws(SQLCursor.Unexpected) -> Int? {
        guard !cursor.isAtEnd else { return nil }
        try cursor.require("batch", "=")
        guard let batch = Int(try cursor.next().text), (1...1_000_000).contains(batch) else {
            throw SQLCursor.Unexpected()
        }
        return batch
    }

    /// The text that parses to this directive.
    package var spelling: String {
        switch self {
        case .foreignKeysOff: "foreign keys off"
        case .allowSchemaEdits: "allow edits of schema"
        case .noTransaction: "no transaction"
        case .doubleQuotedTexts: "double quoted texts"
        case .backfill(let table, let batch):
            "backfill \(SQLTokens.quote(table)) batch=\(batch)"
        case .normalise(let normalisation): normalisation.spelling
        case .report(let what): "report \(what)"
        case .rebuild(let table): "rebuild table \(SQLTokens.quote(table))"
        case .set(let column, let expression): "set \(SQLTokens.quote(column)) = \(expression)"
        case .dropColumn(let column): "drop column \(SQLTokens.quote(column))"
        case .allowLoss(let table): "allow loss of table \(SQLTokens.canonicalName(table))"
        case .allowColumnLoss(let table, let column):
            "allow loss of column \(SQLTokens.canonicalName(table)).\(SQLTokens.canonicalName(column))"
        case .allowChangedValues(let table, let column):
            "allow changed values of column \(SQLTokens.canonicalName(table)).\(SQLTokens.canonicalName(column))"
        case .uncheckedTable(let table): "unchecked table \(SQLTokens.canonicalName(table))"
        case .allowBrokenReferences(let table):
            "allow broken references of table \(SQLTokens.canonicalName(table))"
        case .plaintext(let table, let column):
            "plaintext \(SQLTokens.canonicalName(table)).\(column.map(SQLTokens.canonicalName) ?? "*")"
        case .sealing(let sealing): sealing.spelling
        }
    }

    static let known =
        "up, down, rebuild table T, set C = EXPRESSION, drop column C, allow loss of table T, "
        + "allow loss of column T.C, allow changed values of column T.C, "
        + "allow broken references of table T, unchecked table T, allow edits of schema, foreign keys off, "
        + "no transaction, double quoted texts, backfill T batch=N, normalise T.C as date|uuid|decimal|url, "
        + "report WHAT, plaintext T.C, " + "protect T.C dataset=D, unprotect T.C dataset=D, rotate T.C dataset=D"

    /// The directives that can also be declared from outside a file.
    static let declarable =
        "allow loss of table T, allow loss of column T.C, allow changed values of column T.C, "
        + "allow broken references of table T, unchecked table T, allow edits of schema, foreign keys off"
}

extension Substring {
    /// The text without white space at either end.
    func trimmingSpace() -> Substring {
        var text = self
        // Asking Unicode is slow, and there are many comments.
        while let byte = text.utf8.first {
            if Self.isSpace(byte) {
                text = Substring(text.utf8.dropFirst())
            } else if byte >= 0x80, text.first?.isWhitespace == true {
                text.removeFirst()
            } else {
                break
            }
        }
        while let byte = text.utf8.last {
            if Self.isSpace(byte) {
                text = Substring(text.utf8.dropLast())
            } else if byte >= 0x80, text.last?.isWhitespace == true {
                text.removeLast()
            } else {
                break
            }
        }
        return text
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || (0x09...0x0D).contains(byte)
    }
}
