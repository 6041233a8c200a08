/// Writes conditions as SQL for the rows of one source.
struct ConditionWriter {
    let source: RecordSource
    private(set) var sql = SQL.StringInterpolation(literalCapacity: 64, interpolationCount: 4)

    init(_ source: RecordSource) { self.source = source }

    /// The condition as SQL, with its values.
    static func sql(_ tree: ConditionTree, _ source: RecordSource, _ connection: borrowing Connection) throws -> SQL {
        var writer = ConditionWriter(source)
        try writer.write(tree, negated: false, scanning: false, connection)
        return SQL(stringInterpolation: writer.sql)
    }

    /// Negations go down to the parts: what SQL says of NULL stays the same, and an index answers no negation.
    private mutating func write(
        _ tree: ConditionTree, negated: Bool, scanning: Bool, _ connection: borrowing Connection
    ) throws {
        switch tree {
        case .not(let inner):
            try write(inner, negated: !negated, scanning: scanning, connection)
        case .scanning(let inner):
            try write(inner, negated: negated, scanning: true, connection)
        case .and where !negated, .or where negated:
            var parts = tree.conjuncts(negated: negated)
            if source.isView, !scanning { parts = try SealedRange.merging(parts, source) }
            try write(parts, " AND ", scanning, connection)
        case .and(let one, let other), .or(let one, let other):
            try write([(one, negated), (other, negated)], " OR ", scanning, connection)
        case .failure(let error): throw error
        case .sql(let own):
            sql.appendLiteral(negated ? "NOT (" : "(")
            sql.appendInterpolation(own)
            sql.appendLiteral(")")
        case .columns(let one, let comparison, let other):
            try write(one, negated ? comparison.negated : comparison, other, scanning, connection)
        case .compare(let column, _, _), .isNull(let column), .oneOf(let column, _), .between(let column, _, _),
            .like(let column, _, _), .contains(let column, _), .prefix(let column, _), .sameFolded(let column, _):
            try source.require(column)
            if source.isSealed(column), !scanning {
                sql.appendInterpolation(
                    try SealedCondition(column, source, connection)
                        .sql(tree, negated: negated, connection))
            } else if let formed = source.forms[column] {
                if try source.forms.isOneForm(column, connection) {
                    let written = tree.mapValues { FormCondition.written($0, formed.form) }
                    try write(column, written, negated: negated, connection)
                } else if let condition = FormCondition(column, formed, source.name)
                    .sql(tree, negated: negated)
                {
                    sql.appendInterpolation(condition)
                } else {
                    try write(column, tree, negated: negated, connection)
                }
            } else {
                try write(column, tree, negated: negated, connection)
            }
        }
    }

    /// SQL for what is read from a column.
    private func read(_ column: String, _ connection: borrowing Connection) throws -> String {
        let name = SQLTokens.quote(column)
        guard let formed = source.forms[column] else { return name }
        return try source.forms.isOneForm(column, connection) ? name : formed.form.read(name)
    }

    private mutating func write(
        _ one: String, _ comparison: ConditionOperator, _ other: String, _ scanning: Bool,
        _ connection: borrowing Connection
    ) throws {
        for column in [one, other] {
            try source.require(column)
            guard source.isSealed(column), !scanning else { continue }
            // No index compares two cells.
            throw try SealedCondition(column, source, connection)
                .unanswered(.columns(one, comparison, other), false)
        }
        // What is read from them is compared, whatever the forms that are stored.
        sql.appendInterpolation(verbatim: try read(one, connection))
        sql.appendLiteral(" \(comparison.rawValue) ")
        sql.appendInterpolation(verbatim: try read(other, connection))
    }

    private mutating func write(
        _ parts: [(tree: ConditionTree, negated: Bool)], _ separator: String, _ scanning: Bool,
        _ connection: borrowing Connection
    ) throws {
        for (index, part) in parts.enumerated() {
            sql.appendLiteral(index == 0 ? "(" : separator)
            try write(part.tree, negated: part.negated, scanning: scanning, connection)
        }
        sql.appendLiteral(")")
    }

    private mutating func write(
        _ column: String, _ tree: ConditionTree, negated: Bool,
        _ connection: borrowing Connection
    ) throws {
        switch tree {
        case .prefix(_, let prefix):
            if negated { sql.appendLiteral("NOT ") }
            sql.appendInterpolation(Self.prefix(SQLTokens.quote(column), prefix))
            return
        case .contains(_, let part):
            sql.appendLiteral(negated ? "NOT (instr(" : "(instr(")
            sql.appendInterpolation(name: column)
            sql.appendLiteral(", ")
            sql.appendInterpolation(part)
            sql.appendLiteral(") > 0)")
            return
        case .sameFolded(_, let text):
            try connection.addFolding()
            sql.appendLiteral("lockstep_folded(\(SQLTokens.quote(column)))")
            sql.appendLiteral(negated ? " <> " : " = ")
            sql.appendInterpolation(FoldedText.text(text))
            return
        default: sql.appendInterpolation(name: column)
        }
        let not = negated ? " NOT" : ""
        switch tree {
        case .compare(_, let comparison, let value):
            sql.appendLiteral(" \((negated ? comparison.negated : comparison).rawValue) ")
            sql.appendInterpolation(value)
        case .isNull: sql.appendLiteral(" IS\(not) NULL")
        case .oneOf(_, let values):
            sql.appendLiteral("\(not) IN ")
            sql.appendInterpolation(list: values)
        case .between(_, let first, let last):
            sql.appendLiteral("\(not) BETWEEN ")
            sql.appendInterpolation(first)
            sql.appendLiteral(" AND ")
            sql.appendInterpolation(last)
        case .like(_, let pattern, let escape):
            sql.appendLiteral("\(not) LIKE ")
            sql.appendInterpolation(pattern)
            guard let escape else { return }
            sql.appendLiteral(" ESCAPE ")
            sql.appendInterpolation(escape)
        case .prefix, .sameFolded, .contains, .columns, .sql, .not, .and, .or, .scanning, .failure:
            break
        }
    }

    /// The texts that begin with a prefix, byte by byte: an index finds them.
    static func prefix(_ column: String, _ prefix: String) -> SQL {
        // Of NULL it is NULL, as every comparison.
        guard !prefix.isEmpty else {
            return "iif(\(verbatim: column) IS NULL, NULL, typeof(\(verbatim: column)) = 'text')"
        }
        let start: SQL = "\(verbatim: column) COLLATE BINARY >= \(prefix)"
        guard let end = successor(prefix) else { return "(\(start))" }
        return "(\(start) AND \(verbatim: column) COLLATE BINARY < \(end))"
    }

    /// The first text after all that begin with a prefix; nil if there is none.
    private static func successor(_ prefix: String) -> String? {
        var scalars = Array(prefix.unicodeScalars)
        while let last = scalars.popLast() {
            // No text has surrogates.
            let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
            guard let scalar = Unicode.Scalar(next) else { continue }
            scalars.append(scalar)
            return String(String.UnicodeScalarView(scalars))
        }
        return nil
    }
}

extension FoldedText {
    /// The folded text.
    fileprivate static func text(_ text: String) -> String {
        String(String.UnicodeScalarView(scalars(text).compactMap(Unicode.Scalar.init)))
    }
}

extension Connection {
    /// Registers the function that folds a text's case, when a condition first needs it.
    fileprivate func addFolding() throws(LockstepError) {
        guard !core.attachment.foldsCase else { return }
        try add("lockstep_folded", argumentCount: 1, isDeterministic: true) {
            call throws(LockstepError) in
            guard call.kind(0) == .text, case .text(let text) = try call.copy(ofArgument: 0) else {
                return
            }
            call.setResult(Value.text(FoldedText.text(text)))
        }
        core.attachment.foldsCase = true
    }
}
