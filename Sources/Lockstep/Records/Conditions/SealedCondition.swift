/// A condition on a sealed column, which a blind index answers.
struct SealedCondition {
    private let source: RecordSource
    private let column: SealedColumnAccess

    init(
        _ name: String, _ source: RecordSource, _ connection: borrowing Connection
    ) throws(LockstepError) {
        self.source = source
        column = try connection.cellCall(name, of: source.table).1
    }

    func sql(
        _ tree: ConditionTree, negated: Bool, _ connection: borrowing Connection
    ) throws -> SQL {
        switch tree {
        case .isNull: return null(negated: negated)
        case .compare(_, .unequal, let value) where negated:
            return try equal([value], tree, negated, connection)
        case .compare(_, .equal, let value) where !negated:
            return try equal([value], tree, negated, connection)
        // As in SQL every row is outside of an empty list, and no row is in it, whatever it has.
        case .oneOf(_, let values) where values.isEmpty: return negated ? "1" : "0"
        case .oneOf(_, let values) where !negated:
            return try equal(values, tree, negated, connection)
        case .between(_, .integer(let first), .integer(let last)) where !negated:
            guard hasIndex({ if case .bucket = $0 { true } else { false } }) else { break }
            return try match(.between(first, last), connection)
        case .prefix(_, let prefix) where !negated:
            let length = FoldedText.scalars(prefix).count
            guard hasIndex({ if case .prefix(let count) = $0 { count <= length } else { false } }) else { break }
            // The index ignores case.
            let view = SQLTokens.quote(DecryptingViews.name(of: column.column.table))
            let name = "\(view).\(SQLTokens.quote(column.column.name))"
            return "(\(try match(.prefix(prefix), connection)) AND \(ConditionWriter.prefix(name, prefix)))"
        case .sameFolded(_, let text) where !negated:
            guard hasIndex({ $0 == .casefold }) else { break }
            return try match(.same(as: .text(text), under: .casefold), connection)
        default: break
        }
        throw unanswered(tree, negated)
    }

    private func hasIndex(_ isFit: (Normaliser) -> Bool) -> Bool {
        column.column.indexes.contains { isFit($0.normaliser) }
    }

    private func match(_ match: SealedMatch, _ connection: borrowing Connection) throws -> SQL {
        try connection.matching(column.column.name, of: column.column.table, match)
    }

    /// The rows whose value is one of these. A blind index knows values as they are stored, in each form that is read.
    private func equal(
        _ values: [Value], _ tree: ConditionTree, _ negated: Bool,
        _ connection: borrowing Connection
    ) throws -> SQL {
        let form = source.forms[column.column.name]?.form
        let stored = values.flatMap { value in
            form.map { $0.alternatives(of: FormCondition.written(value, $0)) } ?? [value]
        }
        guard values.allSatisfy({ value in hasIndex { $0.accepts(value.tag) } }) else {
            throw unanswered(tree, negated)
        }
        return try connection.matching(
            column.column.name, of: column.column.table, anyOf: stored)
    }

    /// NULL is visible and needs no key: no cell is opened.
    private func null(negated: Bool) -> SQL {
        let name = SQLTokens.quote(column.column.name)
        let test = negated ? "\(name) IS NOT NULL" : "\(name) IS NULL"
        let keys = column.key.columns.map { SQLTokens.quote($0.name) }.joined(separator: ", ")
        guard !keys.isEmpty else { return "\(verbatim: test)" }
        let table = SQLTokens.quote(column.column.table)
        return "(\(verbatim: keys)) IN (SELECT \(verbatim: keys) FROM main.\(verbatim: table) WHERE \(verbatim: test))"
    }

    func unanswered(_ tree: ConditionTree, _ negated: Bool) -> LockstepError {
        let help =
            isBound(tree) && hasIndex({ if case .bucket = $0 { true } else { false } })
            ? "give the other bound, too"
            : Self.index(for: tree, negated)
                .map { "add `\($0)` to its protect directive" }
        return LockstepError(
            .misuse, "\(column.title) is sealed, and no blind index can answer \(tree.spelling(negated: negated))",
            hint: (help.map { $0 + ", or " } ?? "") + "allow that every row is opened: `.scanning { … }`",
            context: column.column.context)
    }

    private func isBound(_ tree: ConditionTree) -> Bool {
        guard case .compare(_, let comparison, .integer) = tree else { return false }
        return comparison != .equal && comparison != .unequal
    }

    /// The index that would answer a condition; nil if none would.
    private static func index(for tree: ConditionTree, _ negated: Bool) -> String? {
        switch tree {
        case .compare(_, .unequal, _) where negated: "index=exact"
        case .compare(_, .equal, _) where !negated, .oneOf where !negated: "index=exact"
        case .compare(_, .equal, _), .compare(_, .unequal, _): nil
        case .compare(_, _, .integer): "index=bucket-N"
        case .between(_, .integer, .integer) where !negated: "index=bucket-N"
        case .prefix(_, let prefix) where !negated && !prefix.isEmpty:
            "index=prefix-N with N up to \(FoldedText.scalars(prefix).count)"
        case .sameFolded where !negated: "index=casefold"
        default: nil
        }
    }
}
