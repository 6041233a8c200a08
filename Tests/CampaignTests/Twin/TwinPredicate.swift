@testable import EngineTestSupport
@testable import Lockstep

/// Random conditions over the columns of a table.
struct TwinPredicate {
    var dice: HostileDice
    /// As a query names them.
    let columns: [String]
    /// A table that a condition can query, with its own columns.
    let other: (name: String, columns: [String])?

    /// A condition that is true, false or NULL for each row, as SQL text.
    mutating func make(depth: Int = 3) -> String {
        guard depth > 0, !dice.chance(4) else { return leaf() }
        switch dice.number(below: 6) {
        case 0: return "(\(make(depth: depth - 1)) AND \(make(depth: depth - 1)))"
        case 1: return "(\(make(depth: depth - 1)) OR \(make(depth: depth - 1)))"
        case 2: return "NOT (\(make(depth: depth - 1)))"
        case 3:
            return "CASE WHEN \(make(depth: depth - 1)) THEN \(make(depth: depth - 1)) "
                + "ELSE \(leaf()) END"
        default: return leaf()
        }
    }

    private mutating func leaf() -> String {
        let column = dice.pick(columns)
        switch dice.number(below: 14) {
        case 0, 1, 2: return "\(column) \(comparison()) \(literal())"
        case 3: return "\(column) \(comparison()) \(dice.pick(columns))"
        case 4: return "\(column) IS \(dice.chance(2) ? "NOT " : "")NULL"
        case 5: return "\(column) IN (\(literal()), \(literal()), \(dice.pick(columns)))"
        case 6: return "\(column) BETWEEN \(literal()) AND \(literal())"
        case 7: return "\(column) LIKE \(dice.pick(["'a%'", "'%B%'", "'_'", "'%'", "''"]))"
        case 8: return "typeof(\(column)) = \(dice.pick(["'integer'", "'text'", "'null'"]))"
        case 9: return "length(\(column)) \(comparison()) \(dice.number(below: 4))"
        case 10: return "\(column) + 1 \(comparison()) \(literal())"
        case 11: return "coalesce(\(column), \(literal())) || '' \(comparison()) \(literal())"
        case 12: return column
        default:
            guard let other else { return "hex(\(column)) \(comparison()) '3'" }
            let inner = dice.pick(other.columns)
            return dice.chance(2)
                ? "EXISTS (SELECT 1 FROM \(other.name) AS o WHERE o.\(inner) = \(column))"
                : "\(column) IN (SELECT \(inner) FROM \(other.name))"
        }
    }

    private mutating func comparison() -> String {
        dice.pick(["=", "<>", "<", "<=", ">", ">=", "IS", "IS NOT"])
    }

    /// A value of any storage class. There are few, so that many are equal.
    mutating func literal() -> String {
        dice.pick([
            "NULL", "0", "1", "-1", "2", "9007199254740993", "0.0", "1.0", "0.5", "-1e300", "''",
            "'0'", "'1'", "'a'", "'A'", "'b'", "'abc'", "'ä'", "' 1'", "x''", "x'61'", "x'F900'",
        ])
    }
}
