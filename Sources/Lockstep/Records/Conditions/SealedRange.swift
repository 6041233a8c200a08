/// Two bounds of one sealed column, which an index of buckets answers only together.
struct SealedRange {
    private var first = Int64.min
    private var last = Int64.max
    private var isEmpty = false
    private var hasFirst = false
    private var hasLast = false

    /// The parts of a conjunction, with the bounds of each sealed column as one range.
    static func merging(
        _ parts: [(tree: ConditionTree, negated: Bool)], _ source: RecordSource
    ) throws(LockstepError) -> [(tree: ConditionTree, negated: Bool)] {
        var others: [(tree: ConditionTree, negated: Bool)] = []
        var ranges: [(column: String, range: SealedRange, place: Int)] = []
        for part in parts {
            guard case .compare(let column, let comparison, .integer(let number)) = part.tree, source.isSealed(column)
            else {
                others.append(part)
                continue
            }
            let place = ranges.firstIndex { SQLName($0.column) == SQLName(column) }
            var range = place.map { ranges[$0].range } ?? SealedRange()
            let effective = part.negated ? comparison.negated : comparison
            guard range.take(effective, number) else {
                others.append(part)
                continue
            }
            if let place {
                ranges[place].range = range
            } else {
                ranges.append((column, range, others.count))
            }
            // What one bound alone is, is an error that names it.
            if place == nil { others.append(part) }
        }
        for (column, range, place) in ranges where range.hasFirst && range.hasLast {
            let tree: ConditionTree =
                range.isEmpty ? .sql("0") : .between(column, .integer(range.first), .integer(range.last))
            others[place] = (tree, false)
        }
        return others
    }

    /// False if it is no bound.
    private mutating func take(_ comparison: ConditionOperator, _ number: Int64) -> Bool {
        switch comparison {
        case .equal, .unequal: return false
        case .less:
            hasLast = true
            if number == .min { isEmpty = true } else { last = min(last, number - 1) }
        case .lessOrEqual: (hasLast, last) = (true, min(last, number))
        case .greater:
            hasFirst = true
            if number == .max { isEmpty = true } else { first = max(first, number + 1) }
        case .greaterOrEqual: (hasFirst, first) = (true, max(first, number))
        }
        if first > last { isEmpty = true }
        return true
    }
}
