/// What a statement itself says, without its triggers and the actions of foreign keys.
struct SaidStatement {
    enum Kind: Equatable {
        /// - Parameter values: Whether it has the rows itself.
        case insert(values: Bool)
        /// - Parameter isWhole: Whether it names no rows.
        case update(isWhole: Bool)
        case delete
        /// CREATE TABLE … AS.
        case create(isTemporary: Bool)
    }

    let kind: Kind
    let target: SQLName
    /// The schema that it names with the table, such as `temp`.
    let schema: SQLName?
    /// The columns that it sets, and whether it says that values become NULL.
    private(set) var updated: [SQLName: Bool] = [:]
    /// Those of them that it sets to NULL itself.
    private var emptied: Set<SQLName> = []
    /// All names in it.
    let words: Set<SQLName>

    /// Nil for any other SQL.
    init?(_ sql: String) {
        var cursor = SQLCursor(sql)
        guard ["insert", "replace", "update", "delete", "create", "with"].contains(cursor.peek()) else { return nil }
        if cursor.peek() == "with" {
            guard let start = Self.start(of: cursor.tokens) else { return nil }
            cursor = SQLCursor(cursor.tokens[start...])
        }
        do {
            (kind, schema, target) = try Self.head(&cursor)
        } catch {
            return nil
        }
        words = Set(SQLCursor(sql).tokens.map(\.name))
        let rest = Array(cursor.rest())
        // An upsert sets columns, too.
        guard let start = Self.outside(rest, "set"), kind != .delete else { return }
        let clauses: Set<String> = ["from", "where", "returning", "order", "limit", ";", "on"]
        let end = Self.outside(rest, in: clauses, from: start + 1) ?? rest.count
        for assignment in SQLCursor.parts(rest[(start + 1)..<end]) { note(assignment) }
    }

    /// Whether it says that the whole column becomes NULL.
    func empties(_ column: SQLName) -> Bool { kind == .update(isWhole: true) && emptied.contains(column) }

    private mutating func note(_ assignment: [SQLCursor.Token]) {
        guard let equals = Self.outside(assignment, "=") else { return }
        let value = assignment[(equals + 1)...]
        let saysNull = value.indices.contains { index in
            // IS NULL only asks.
            ["null", "nullif"].contains(value[index].word)
                && !["is", "not"].contains(index > 0 ? assignment[index - 1].word : "")
        }
        for token in assignment[..<equals] where token.kind == .word || token.kind == .quotedName {
            updated[token.name] = saysNull || updated[token.name] == true
            if value.count == 1, saysNull { emptied.insert(token.name) }
        }
    }

    private static func head(_ cursor: inout SQLCursor) throws(SQLCursor.Unexpected) -> (Kind, SQLName?, SQLName) {
        func name() throws(SQLCursor.Unexpected) -> (SQLName?, SQLName) {
            let schema = cursor.peek(1) == "." ? cursor.tokens[cursor.position].name : nil
            return (schema, try cursor.objectName())
        }
        if cursor.take("create") {
            var isTemporary = cursor.take("temp") || cursor.take("temporary")
            try cursor.require("table")
            _ = cursor.take("if", "not", "exists")
            isTemporary = isTemporary || (cursor.peek() == "temp" && cursor.peek(1) == ".")
            let (schema, table) = try name()
            try cursor.require("as")
            return (.create(isTemporary: isTemporary), schema, table)
        }
        if cursor.take("delete", "from") {
            let (schema, table) = try name()
            return (.delete, schema, table)
        }
        if cursor.take("update") {
            if cursor.take("or") { try cursor.next() }
            let (schema, table) = try name()
            let tokens = Array(SQLCursor(cursor.tokens[cursor.position...]).tokens)
            return (.update(isWhole: outside(tokens, "where") == nil), schema, table)
        }
        if !cursor.take("replace") {
            try cursor.require("insert")
            if cursor.take("or") { try cursor.next() }
        }
        try cursor.require("into")
        let (schema, table) = try name()
        let tokens = Array(SQLCursor(cursor.tokens[cursor.position...]).tokens)
        let first = outside(tokens, in: ["values", "select", "with", "default"], from: 0)
        return (.insert(values: first.map { ["values", "default"].contains(tokens[$0].word) } ?? false), schema, table)
    }

    /// Where the statement itself begins after WITH.
    private static func start(of tokens: [SQLCursor.Token]) -> Int? {
        outside(tokens, in: ["insert", "replace", "update", "delete"], from: 1)
    }

    private static func outside(_ tokens: [SQLCursor.Token], _ word: String) -> Int? {
        outside(tokens, in: [word], from: 0)
    }

    /// The first of these words outside parentheses.
    // exact: keywords
    private static func outside(_ tokens: [SQLCursor.Token], in words: Set<String>, from start: Int) -> Int? {
        var depth = 0
        for index in tokens.indices.dropFirst(start) {
            if tokens[index].word == "(" { depth += 1 }
            if tokens[index].word == ")" { depth -= 1 }
            // IS DISTINCT FROM is an operator.
            let isOperator = tokens[index].word == "from" && index > 0 && tokens[index - 1].word == "distinct"
            if depth == 0, words.contains(tokens[index].word), !isOperator { return index }
        }
        return nil
    }
}

/// What the statements of a version say about the rows of one table.
struct SaidChanges {
    /// The columns that they set, and whether they say that values become NULL.
    var updated: [SQLName: Bool] = [:]
    /// Columns that they leave out, or empty.
    var left: Set<SQLName> = []
    var deletes = false
    var inserts = false
    /// How many rows its own DELETE statements have deleted.
    var deleted = 0
    /// Whether rows come from a table that has had some of this one's.
    var putsBack = false
    /// Whether rows are inserted that no other table has.
    var insertsValues = false

    /// Whether rows can have taken the places of others.
    var exchangesRows: Bool { deletes && inserts }

    func leaves(_ column: SQLName) -> Bool { left.contains(column) }

    /// Whether they say that a column changes, by its name before or its present one.
    func change(of old: SQLName, _ new: SQLName) -> (isSaid: Bool, saysNull: Bool) {
        let found = [updated[old], updated[new]].compactMap(\.self)
        return (!found.isEmpty, found.contains(true))
    }

    mutating func set(_ column: SQLName, saysNull: Bool) {
        updated[column] = saysNull || updated[column] == true
    }

    /// A column has another name from now on.
    mutating func rename(_ column: SQLName, to name: SQLName) {
        if let said = updated[column] { updated[name] = said }
        if left.contains(column) { left.insert(name) }
    }

    mutating func formUnion(_ other: SaidChanges) {
        updated.merge(other.updated) { $0 || $1 }
        left.formUnion(other.left)
        deletes = deletes || other.deletes
        inserts = inserts || other.inserts
        deleted += other.deleted
        insertsValues = insertsValues || other.insertsValues
    }
}
