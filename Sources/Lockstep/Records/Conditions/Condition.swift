/// A condition on the rows of a record's table: a value that closures over ``Columns`` make.
///
/// | in Swift | |
/// |---|---|
/// | `==` `!=` `<` `<=` `>` `>=` | compare a column with a value; `== nil` and `!= nil` ask for NULL |
/// | `&&` `\|\|` `!` | combine conditions |
/// | `in`, `between` | one of several values; from one value to another, inclusive |
/// | `hasPrefix`, `like`, `equalIgnoringCase` | texts |
/// | ``sql(_:)`` | everything else |
///
/// On a sealed column a condition is answered by a blind index: `==` and `in` by one for the value's type,
/// `equalIgnoringCase` by `casefold`, `hasPrefix` by `prefix-N`, and `between`, or two bounds joined by `&&`, of
/// integers by `bucket-N`. For NULL no index is needed. What no index can answer is an error, unless ``scanning(_:)``
/// allows that all rows are opened.
public struct Condition<Root: Record>: Sendable {
    let tree: ConditionTree

    /// SQL as a condition, with interpolated values as parameters: `.sql("year % 10 = \(digit)")`. It sees the columns
    /// of the table, or of its readable view, where it opens the sealed columns that it names, in every row.
    public static func sql(_ sql: SQL) -> Condition { Condition(tree: .sql(sql)) }

    /// A condition that can open the sealed columns that it names in every row of the table: for conditions that no
    /// blind index answers, where the table is small, or the rest of the condition leaves few rows.
    ///
    ///     try await store.all(Film.self, where: { film in
    ///         film.year == 1927 && .scanning { $0.title.like("%polis") }
    ///     })
    public static func scanning(
        _ condition: (Columns<Root>) -> Condition
    ) -> Condition {
        Condition(tree: .scanning(condition(Columns()).tree))
    }

    /// Rows that satisfy both.
    public static func && (one: Condition, other: Condition) -> Condition {
        Condition(tree: .and(one.tree, other.tree))
    }

    /// Rows that satisfy one or both.
    public static func || (one: Condition, other: Condition) -> Condition {
        Condition(tree: .or(one.tree, other.tree))
    }

    /// Rows that do not satisfy it. Where a comparison meets NULL, they do not satisfy that either.
    public static prefix func ! (condition: Condition) -> Condition {
        Condition(tree: .not(condition.tree))
    }
}
