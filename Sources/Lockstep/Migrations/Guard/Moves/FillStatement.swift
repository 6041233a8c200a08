/// A statement that fills a table with the rows of others: INSERT … SELECT, or CREATE TABLE … AS SELECT.
struct FillStatement {
    /// A term of the SELECT.
    enum Item: Equatable {
        /// `*`, or `t.*`.
        case all
        case column(SQLName)
        /// Anything else, with the names in it.
        case expression(Set<SQLName>)
    }

    let target: SQLName
    /// Whether it makes a temporary table.
    let isTemporary: Bool
    /// Whether it makes its target.
    let isCreation: Bool
    /// The columns of the target that it names; nil for all.
    private(set) var columns: [SQLName]?
    /// The only table that it selects from; nil for anything more complex.
    private(set) var source: SQLName?
    /// The terms in order; those of the first SELECT if there are several.
    private(set) var items: [Item] = []
    /// All names in the statement.
    let words: Set<SQLName>

    /// Nil for any other SQL.
    init?(_ sql: String) {
        // Most statements are none, and a look at their letters shows it.
        guard SQLTokens.hasWord("select", in: sql) else { return nil }
        var cursor = SQLCursor(sql)
        guard ["insert", "replace", "create", "with"].contains(cursor.peek()) else { return nil }
        let hasNames: Bool
        do {
            // The names before the statement itself can stand for anything.
            hasNames = cursor.peek() == "with"
            if hasNames {
                guard let start = Self.start(of: cursor.tokens) else { return nil }
                cursor = SQLCursor(cursor.tokens[start...])
            }
            (isCreation, isTemporary, target) = try Self.head(&cursor)
            words = Set(SQLCursor(sql).tokens.map(\.name))
            if !isCreation {
                if cursor.take("as") { _ = try cursor.name() }
                if cursor.peek() == "(" {
                    columns = try SQLCursor.parts(cursor.group()).compactMap { $0.first?.name }
                }
            }
            if cursor.peek() == "with" {
                guard cursor.contains("select") else { return nil }
                return
            }
            guard cursor.take("select") else { return nil }
        } catch {
            return nil
        }
        if !cursor.take("distinct") { _ = cursor.take("all") }
        guard let terms = try? cursor.upTo("from") else { return }
        items = SQLCursor.parts(terms).map(Self.item)
        guard !hasNames, cursor.peek() != "(", let table = try? cursor.objectName() else { return }
        let joins: Set<String> = [
            ",", "join", "union", "except", "intersect", "natural", "cross", "inner", "left", "right", "full",
        ]
        var depth = 0
        for token in cursor.rest() {
            if token.word == "(" { depth += 1 }
            if token.word == ")" { depth -= 1 }
            if depth == 0, joins.contains(token.word) { return }
        }
        source = table
    }

    private static func start(of tokens: [SQLCursor.Token]) -> Int? {
        var depth = 0
        for (index, token) in tokens.enumerated() {
            if token.word == "(" { depth += 1 }
            if token.word == ")" { depth -= 1 }
            if depth == 0, token.word == "insert" || token.word == "replace" { return index }
        }
        return nil
    }

    private static func head(
        _ cursor: inout SQLCursor
    ) throws(SQLCursor.Unexpected) -> (isCreation: Bool, isTemporary: Bool, SQLName) {
        guard cursor.take("create") else {
            if !cursor.take("replace") {
                try cursor.require("insert")
                if cursor.take("or") { try cursor.next() }
            }
            try cursor.require("into")
            return (false, false, try cursor.objectName())
        }
        var isTemporary = cursor.take("temp") || cursor.take("temporary")
        try cursor.require("table")
        _ = cursor.take("if", "not", "exists")
        isTemporary = isTemporary || (cursor.peek() == "temp" && cursor.peek(1) == ".")
        let name = try cursor.objectName()
        try cursor.require("as")
        return (true, isTemporary, name)
    }

    private static func item(_ tokens: [SQLCursor.Token]) -> Item {
        func isName(_ token: SQLCursor.Token) -> Bool {
            token.kind == .word || token.kind == .quotedName
        }
        var term = tokens[...]
        if term.count >= 3, term[term.endIndex - 2].word == "as" { term = term.dropLast(2) }
        switch term.map(\.word) {
        case ["*"]: return .all
        case let words where words.count == 3 && words[1] == "." && words[2] == "*": return .all
        default: break
        }
        if term.count == 3, term[term.startIndex + 1].word == "." {
            term = term.dropFirst(2)
        }
        guard term.allSatisfy(isName), (1...2).contains(term.count), let first = term.first else {
            return .expression(Set(tokens.map(\.name)))
        }
        return .column(first.name)
    }

    /// The columns of a source that it carries over, each with the columns of the target that get it as it is.
    /// - Parameters:
    ///   - source: The source's name.
    ///   - columns: The source's columns, in order.
    ///   - targets: The target's columns, in order.
    func carried(
        from source: SQLName, _ columns: [SQLName], to targets: [SQLName]
    ) -> [SQLName: Set<SQLName>] {
        var carried: [SQLName: Set<SQLName>] = [:]
        guard self.source == source else {
            // A column that is named anywhere, or is one of all, can be among what is selected.
            let hasAll = items.isEmpty || items.contains(.all) || !words.contains(source)
            for column in columns where hasAll || words.contains(column) {
                carried[column] = targets.contains(column) ? [column] : []
            }
            return carried
        }
        let own = Set(columns)
        var terms: [(plain: SQLName?, names: Set<SQLName>)] = []
        for item in items {
            switch item {
            case .all: terms += columns.map { ($0, [$0]) }
            case .column(let name): terms.append((name, [name]))
            case .expression(let names): terms.append((nil, names))
            }
        }
        let filled = self.columns ?? targets
        for (index, term) in terms.enumerated() {
            // What goes into an expression is carried, under no name of its own.
            for name in term.names.intersection(own) where carried[name] == nil {
                carried[name] = []
            }
            guard let plain = term.plain, own.contains(plain), filled.indices.contains(index) else {
                continue
            }
            carried[plain, default: []].insert(filled[index])
        }
        return carried
    }
}
