/// What a CREATE INDEX says.
struct IndexDefinition {
    let isUnique: Bool
    let table: String
    let columns: SQLForm
    /// Nil for an index of every row.
    let condition: SQLForm?

    /// - Parameter columns: The names of a table's columns, in lower case.
    init(
        _ reader: DefinitionReader, name: String, columns: (String) -> Set<String>
    ) throws(DefinitionReader.Unreadable) {
        var reader = reader
        isUnique = try reader.header("index", named: name, allowing: "unique")
        try reader.require("on")
        table = try reader.name()
        let names = columns(table)
        self.columns = .list(try IndexedColumn.forms(try reader.group(), names))
        if reader.isAtEnd {
            condition = nil
        } else {
            try reader.require("where")
            condition = SQLForm(reader.rest(), .columns(names))
        }
    }
}

/// What a CREATE TRIGGER says.
struct TriggerDefinition {
    /// Before, after or instead of what.
    let event: SQLForm
    /// Of which columns an update fires it.
    let columns: SQLForm?
    let table: String
    let condition: SQLForm?
    let body: SQLForm

    /// - Parameter names: What the schema has names for, in lower case.
    init(
        _ reader: DefinitionReader, name: String, names: Set<String>
    ) throws(DefinitionReader.Unreadable) {
        let scope = NameScope.query(names.union(NameScope.names(in: reader.tokens)))
        var reader = reader
        _ = try reader.header("trigger", named: name)
        var time = ["before"]
        if reader.take("after") {
            time = ["after"]
        } else if reader.take("instead", "of") {
            time = ["instead", "of"]
        } else {
            // What a trigger does that does not say when.
            _ = reader.take("before")
        }
        let event = try reader.next().word
        guard ["insert", "update", "delete"].contains(event) else {
            throw DefinitionReader.Unreadable()
        }
        self.event = SQLForm(time + [event])
        var columns: [SQLForm] = []
        if event == "update", reader.take("of") {
            repeat {
                columns.append(SQLForm([SQLForm.name(try reader.name())]))
            } while reader.take(",")
        }
        self.columns = columns.isEmpty ? nil : .list(columns)
        try reader.require("on")
        table = try reader.name()
        // There is no other kind.
        _ = reader.take("for", "each", "row")
        condition = reader.take("when") ? SQLForm(try reader.upTo("begin"), scope) : nil
        if condition == nil { try reader.require("begin") }
        var body = reader.rest()
        guard body.popLast()?.word == "end" else { throw DefinitionReader.Unreadable() }
        self.body = SQLForm(body, scope)
    }
}

/// What a CREATE VIEW says.
struct ViewDefinition {
    /// The names it gives its columns, if it gives any.
    let columns: SQLForm?
    let body: SQLForm

    /// - Parameter names: What the schema has names for, in lower case.
    init(
        _ reader: DefinitionReader, name: String, names: Set<String>
    ) throws(DefinitionReader.Unreadable) {
        let scope = NameScope.query(names.union(NameScope.names(in: reader.tokens)))
        var reader = reader
        _ = try reader.header("view", named: name)
        columns = reader.peek() == "(" ? try reader.nameList() : nil
        try reader.require("as")
        body = SQLForm(reader.rest(), scope)
        guard !body.tokens.isEmpty else { throw DefinitionReader.Unreadable() }
    }
}

/// What a CREATE VIRTUAL TABLE says. Its arguments are the module's own language; of those that come with
/// SQLite it is known that words may be quoted, and that the names of columns and options have no case.
struct VirtualTableDefinition {
    let module: String
    let arguments: SQLForm

    private static let known: Set<String> = ["fts3", "fts4", "fts5"]

    init(_ reader: DefinitionReader, name: String) throws(DefinitionReader.Unreadable) {
        var reader = reader
        _ = try reader.header("table", named: name, allowing: "virtual")
        try reader.require("using")
        let module = try reader.name()
        self.module = module
        var arguments: [SQLForm] = []
        if !reader.isAtEnd {
            let inner = try reader.group()
            if !inner.isEmpty {
                arguments = DefinitionReader.parts(inner).map { Self.argument($0, module) }
            }
        }
        try reader.requireEnd()
        self.arguments = .list(arguments)
    }

    private static func argument(_ tokens: [DefinitionReader.Token], _ module: String) -> SQLForm {
        let texts = SQLForm(tokens.map(\.text))
        guard known.contains(module), let first = tokens.first,
            [.word, .quotedName].contains(first.kind)
        else { return texts }
        if tokens.count == 1 { return SQLForm([SQLForm.name(first.name)]) }
        guard tokens[1].word == "=" else {
            // A column, and what is said of it.
            guard tokens.allSatisfy({ $0.kind == .word || $0.kind == .quotedName }) else {
                return texts
            }
            return SQLForm([SQLForm.name(first.name)] + tokens.dropFirst().map(\.name))
        }
        let value = tokens.dropFirst(2)
        guard value.count == 1, let only = value.first,
            [.word, .string, .quotedName].contains(only.kind)
        else { return SQLForm([first.name, "="] + value.map(\.text)) }
        return SQLForm([first.name, "=", NameScope.literal(SQLTokens.unquote(only.text))])
    }
}
