/// What a condition says.
indirect enum ConditionTree: Sendable {
    case compare(String, ConditionOperator, Value)
    case isNull(String)
    case oneOf(String, [Value])
    case between(String, Value, Value)
    case like(String, String, escape: String?)
    case contains(String, String)
    /// Two columns.
    case columns(String, ConditionOperator, String)
    case prefix(String, String)
    case sameFolded(String, String)
    case sql(SQL)
    case not(ConditionTree)
    case and(ConditionTree, ConditionTree)
    case or(ConditionTree, ConditionTree)
    case scanning(ConditionTree)
    /// A column that is not known, or a value that it cannot store.
    case failure(LockstepError)

    /// The column of a condition on one.
    var column: String? {
        switch self {
        case .compare(let column, _, _), .isNull(let column), .oneOf(let column, _),
            .between(let column, _, _), .like(let column, _, _), .contains(let column, _),
            .prefix(let column, _), .sameFolded(let column, _), .columns(let column, _, _):
            column
        case .sql, .not, .and, .or, .scanning, .failure: nil
        }
    }

    /// The same comparison with other values.
    func mapValues(_ other: (Value) -> Value) -> ConditionTree {
        switch self {
        case .compare(let column, let comparison, let value):
            .compare(column, comparison, other(value))
        case .oneOf(let column, let values): .oneOf(column, values.map(other))
        case .between(let column, let first, let last):
            .between(column, other(first), other(last))
        default: self
        }
    }

    /// The parts that must all hold, and whether each is negated.
    func conjuncts(negated: Bool) -> [(tree: ConditionTree, negated: Bool)] {
        switch self {
        case .not(let tree): tree.conjuncts(negated: !negated)
        case .and(let one, let other) where !negated, .or(let one, let other) where negated:
            one.conjuncts(negated: negated) + other.conjuncts(negated: negated)
        default: [(self, negated)]
        }
    }

    /// What it is called in Swift.
    func spelling(negated: Bool) -> String {
        switch self {
        case .compare(_, let comparison, _), .columns(_, let comparison, _):
            (negated ? comparison.negated : comparison).spelling
        case .isNull: negated ? "!= nil" : "== nil"
        case .oneOf: negated ? "! of in" : "in"
        case .between: negated ? "! of between" : "between"
        case .like: "like"
        case .contains: negated ? "! of contains" : "contains"
        case .prefix: negated ? "! of hasPrefix" : "hasPrefix"
        case .sameFolded: negated ? "! of equalIgnoringCase" : "equalIgnoringCase"
        case .sql, .not, .and, .or, .scanning, .failure: "the condition"
        }
    }
}

/// How a column is compared with a value.
enum ConditionOperator: String, Sendable {
    case equal = "="
    case unequal = "<>"
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="

    var negated: ConditionOperator {
        switch self {
        case .equal: .unequal
        case .unequal: .equal
        case .less: .greaterOrEqual
        case .lessOrEqual: .greater
        case .greater: .lessOrEqual
        case .greaterOrEqual: .less
        }
    }

    /// The operator in Swift.
    var spelling: String {
        switch self {
        case .equal: "=="
        case .unequal: "!="
        default: rawValue
        }
    }
}
