/// Rows whose keys were different, and are one now: '01' and '1' as numbers, 'A' and 'a' where case does not count.
private struct MergedKeys {
    /// The terms of the key.
    private let terms: [Int]
    private var keys: [UInt128] = []
    private var hasOthers = false

    init(_ terms: [Int]) { self.terms = terms }

    mutating func note(_ own: ArraySlice<UInt128>, _ found: [UInt128], _ source: RowSource) {
        guard !terms.isEmpty, keys.count < ContentSearch.limit / 16 else { return }
        hasOthers = hasOthers || terms.contains { own[own.startIndex + $0] != found[$0] }
        keys.append(source.mixed(terms.lazy.map { found[$0] }))
    }

    /// How many rows have no key of their own any more.
    var count: Int { hasOthers ? keys.count - Set(keys).count : 0 }
}

extension RowComparison {
    /// How many rows something has happened to, and the keys of the first ones if they are asked for.
    private struct Found {
        var count = 0
        private(set) var keys: [String] = []

        mutating func add(_ key: String?) {
            count += 1
            if let key, keys.count < TableEffects.namedKeys { keys.append(key) }
        }
    }

    /// What pairing has counted.
    private struct Tally {
        var gone = Found()
        var changed, converted, nulled: [Found]

        init(_ count: Int) {
            let none = [Found](repeating: Found(), count: count)
            (changed, converted, nulled) = (none, none, none)
        }
    }

    /// A difference of two rows of one key in one column.
    private struct Difference {
        enum Kind { case changed, converted, nulled }
        let pair: Int
        let kind: Kind
    }

    /// Looks each row of before up by its key, in constant memory but for rows that can have been moved.
    func byKey(_ key: Key, _ rows: (before: Int64, after: Int64)) throws -> [TableEffect] {
        let forced = pairs.indices.filter { pairs[$0].affinity != nil }
        func terms(_ term: (Pair) -> ColumnTerm, _ name: (Pair) -> SQLName) -> [ColumnTerm] {
            pairs.map(term) + forced.map { .forced(name(pairs[$0]), to: pairs[$0].affinity ?? .blob) }
        }
        let newTerms = terms(\.newTerm, \.new)
        let keyed = key.old.map { ColumnTerm(sql: $0.sql, isLoose: false) }
        let stored = filled.isEmpty ? [] : old.stored.map { ColumnTerm.converted($0.name) }
        let lookup = try after.core.prepareUnwatched(
            """
            SELECT \(newTerms.map(\.sql).joined(separator: ", ")) FROM main.\(SQLTokens.quote(new.name.spelling))
            WHERE \(key.condition)
            """)
        var tally = Tally(pairs.count)
        var search = ContentSearch(old.stored.map(\.name), before)
        var waiting: [(differences: [Difference]?, key: String?)] = []
        var merged = MergedKeys(pairs.indices.filter { old.key.contains(pairs[$0].old) && tie != .same })
        // How many rows have no row of their key, and how many only values that statements say.
        var (missing, said) = (0, 0)
        var found = [UInt128](repeating: 0, count: newTerms.count)
        let null = before.null
        try before.forEach(keyed + terms(\.oldTerm, \.old) + stored) { hashes, row in
            try lookup.bind(copying: row, keyed.count)
            let isThere = try lookup.firstOfRun { now in
                for index in newTerms.indices { found[index] = newTerms[index].hash(now, index, after.hashKey) }
                return true
            }
            let own = hashes[keyed.count...]
            let name = namesKeys ? try Self.text(ofKey: row, keyed.count) : nil
            guard isThere == true else {
                missing += 1
                if search.add(own.dropFirst(newTerms.count)) {
                    waiting.append((nil, name))
                } else {
                    tally.gone.add(name)
                }
                return
            }
            merged.note(own, found, after)
            let differences = differences(own, found, forced, null)
            guard !differences.isEmpty else {
                if hasSaidChange(own, found) { said += 1 }
                return
            }
            // Of a table without a key of its own, another row can have the rowid now.
            let mayBeElsewhere = old.key.isEmpty || (tie == .moved && differences.contains { $0.kind != .converted })
            if mayBeElsewhere, search.add(own.dropFirst(newTerms.count)) {
                waiting.append((differences, name))
            } else {
                add(differences, name, to: &tally)
            }
        }
        try search.look(in: filled, after.core)
        for (one, isFound) in zip(waiting, search.isFound) where !isFound {
            guard let differences = one.differences else {
                tally.gone.add(one.key)
                continue
            }
            add(differences, one.key, to: &tally)
        }
        tally.gone.count += merged.count
        // Rows that were deleted, and whose keys others have, look like rows that statements have changed.
        tally.gone.count += min(said, max(0, replacedRows - missing))
        return effects(tally, rows) + (try doubled(rows))
    }

    /// The values of a row's key, as in SQL.
    private static func text(ofKey row: borrowing Row, _ count: Int) throws -> String {
        var parts: [String] = []
        for column in 0..<count {
            switch try row[column] as Value {
            case .null: parts.append("NULL")
            case .integer(let number): parts.append("\(number)")
            case .real(let number): parts.append("\(number)")
            case .text(let text): parts.append(SQLTokens.quoteText(text))
            case .blob(let bytes): parts.append("x'\(Hex.encode(bytes))'")
            }
        }
        return count == 1 ? parts[0] : "(\(parts.joined(separator: ", ")))"
    }

    /// Whether the row has another value where a statement says so.
    private func hasSaidChange(_ own: ArraySlice<UInt128>, _ found: [UInt128]) -> Bool {
        pairs.indices.contains { pairs[$0].change.isSaid && own[own.startIndex + $0] != found[$0] }
    }

    private func differences(
        _ own: ArraySlice<UInt128>, _ found: [UInt128], _ forced: [Int], _ null: UInt128
    ) -> [Difference] {
        var differences: [Difference] = []
        for index in pairs.indices where own[own.startIndex + index] != found[index] {
            let (isNull, change) = (found[index] == null, pairs[index].change)
            guard !change.isSaid || (isNull && !change.saysNull) else { continue }
            // Where a statement fills the successor, a value in place of none loses nothing.
            if tie == .replaced, own[own.startIndex + index] == null { continue }
            let place = forced.firstIndex(of: index).map { pairs.count + $0 }
            let isForced = place.map { own[own.startIndex + $0] == found[$0] } ?? false
            differences.append(.init(pair: index, kind: isForced ? .converted : isNull ? .nulled : .changed))
        }
        return differences
    }

    private func add(_ differences: [Difference], _ key: String?, to tally: inout Tally) {
        // Another row has the key now.
        let isOther = tie == .same && said.exchangesRows
        if isOther || (tie == .moved && differences.contains { $0.kind != .converted }) {
            tally.gone.add(key)
            return
        }
        for difference in differences {
            switch difference.kind {
            case .changed: tally.changed[difference.pair].add(key)
            case .converted: tally.converted[difference.pair].add(key)
            case .nulled: tally.nulled[difference.pair].add(key)
            }
        }
    }

    private func effects(_ tally: Tally, _ rows: (before: Int64, after: Int64)) -> [TableEffect] {
        var effects: [TableEffect] = []
        func add(_ kind: TableEffect.Kind, _ found: Found) {
            guard found.count > 0 else { return }
            let after = tie == .moved ? nil : rows.after
            effects.append(.init(kind: kind, count: found.count, rows: (rows.before, after), keys: found.keys))
        }
        add(.rowsGone, tally.gone)
        for (index, pair) in pairs.enumerated() {
            add(.nulled(pair.old), tally.nulled[index])
            add(.converted(pair.old), tally.converted[index])
            add(.changed(pair.old), tally.changed[index])
        }
        return effects
    }

    // MARK: By content

    /// Compares the rows as multisets of the columns that both have.
    func byContent(_ one: TableSums, _ two: TableSums) throws -> [TableEffect] {
        let rows = (before: one.rows, after: two.rows)
        let compared = pairs.indices.filter { !pairs[$0].change.isSaid }
        var tally = Tally(pairs.count)
        for index in pairs.indices where pairs[index].change.isSaid && !pairs[index].change.saysNull {
            let (old, new) = (one.rows - one.columns[index].filled, two.rows - two.columns[index].filled)
            tally.nulled[index].count = Int(clamping: max(0, new - old))
        }
        if one.rows == two.rows, one.contents == two.contents { return effects(tally, rows) }
        // Nothing distinguishes the rows, or there are too many: their number alone counts.
        guard !compared.isEmpty, (one.rows + two.rows) * 16 <= Int64(ContentSearch.limit) else {
            let isUnclear = !compared.isEmpty && one.rows <= two.rows
            tally.gone.count = isUnclear ? 1 : Int(clamping: max(0, one.rows - two.rows))
            return effects(tally, rows)
        }
        // Where the rows are those of before and only their keys are others, as many are to stand as before.
        let (fewer, _) = try Self.compare(
            contents(before, compared.map { pairs[$0].oldTerm }), contents(after, compared.map { pairs[$0].newTerm }),
            countsAll: tie == .same && !old.key.isEmpty)
        if !fewer.isEmpty {
            tally.gone.count = try unfound(fewer, compared)
            if tally.gone.count > 0, let columns = try changedColumns(one, two, compared) {
                for (index, kind) in columns {
                    let nulls = Int(clamping: max(0, one.columns[index].filled - two.columns[index].filled))
                    tally.nulled[index].count = nulls
                    if kind == .converted {
                        tally.converted[index].count = tally.gone.count
                    } else {
                        tally.changed[index].count = tally.gone.count - nulls
                    }
                }
                tally.gone.count = 0
            }
        }
        return effects(tally, rows) + (try doubled(rows))
    }

    private func contents(_ source: RowSource, _ terms: [ColumnTerm]) throws -> [UInt128] {
        var contents: [UInt128] = []
        try source.forEach(terms) { hashes, _ in contents.append(source.mixed(hashes)) }
        contents.sort()
        return contents
    }

    /// Compares contents, in their order.
    /// - Parameter countsAll: Whether as many rows of a content are to stand as before, and not just one.
    /// - Returns: How many rows of a content are missing, and how many stand there more often than before.
    private static func compare(
        _ old: [UInt128], _ new: [UInt128], countsAll: Bool
    ) -> (fewer: [UInt128: Int], doubled: Int) {
        var fewer: [UInt128: Int] = [:]
        var (place, doubled, start) = (0, 0, 0)
        while start < old.count {
            let content = old[start]
            var end = start
            while end < old.count, old[end] == content { end += 1 }
            while place < new.count, new[place] < content { place += 1 }
            let first = place
            while place < new.count, new[place] == content { place += 1 }
            let (before, now) = (end - start, place - first)
            if before > now, countsAll || now == 0 { fewer[content] = before - now }
            doubled += max(0, now - before)
            start = end
        }
        return (fewer, doubled)
    }

    /// How many of the missing rows stand in no table that the run has filled.
    private func unfound(_ fewer: [UInt128: Int], _ compared: [Int]) throws -> Int {
        var search = ContentSearch(old.stored.map(\.name), before)
        var (left, searched) = (fewer, [UInt128]())
        let terms = compared.map { pairs[$0].oldTerm }
        let stored = filled.isEmpty ? [] : old.stored.map { ColumnTerm.converted($0.name) }
        try before.forEach(terms + stored) { hashes, _ in
            let content = before.mixed(hashes.prefix(terms.count))
            guard fewer[content] != nil, !stored.isEmpty, search.add(hashes.dropFirst(terms.count)) else { return }
            searched.append(content)
        }
        try search.look(in: filled, after.core)
        for (content, isFound) in zip(searched, search.isFound) where isFound { left[content, default: 0] -= 1 }
        return left.values.reduce(0) { $0 + max(0, $1) }
    }

    /// The columns that differ, where all others agree row by row; nil if no column distinguishes the rows.
    private func changedColumns(
        _ one: TableSums, _ two: TableSums, _ compared: [Int]
    ) throws -> [(Int, Difference.Kind)]? {
        guard one.rows == two.rows else { return nil }
        let equal = compared.filter { one.columns[$0].values == two.columns[$0].values }
        let others = compared.filter { !equal.contains($0) }
        guard !equal.isEmpty, !others.isEmpty else { return nil }
        func sums(_ source: RowSource, _ name: (Pair) -> SQLName, _ term: (Pair) -> ColumnTerm) throws -> TableSums {
            let terms =
                equal.map { term(pairs[$0]) }
                + others.map { index in
                    let pair = pairs[index]
                    return pair.affinity.map { .forced(name(pair), to: $0) } ?? term(pair)
                }
            return try TableSums(source, key: [], terms, compared: Set(equal.indices))
        }
        let (old, new) = (try sums(before, \.old, \.oldTerm), try sums(after, \.new, \.newTerm))
        guard old.contents == new.contents else { return nil }
        let found = others.enumerated().map { place, index -> (Int, Difference.Kind) in
            let (one, two) = (old.columns[equal.count + place], new.columns[equal.count + place])
            return (index, pairs[index].affinity != nil && one.values == two.values ? .converted : .changed)
        }
        return tie == .moved && found.contains { $0.1 != .converted } ? nil : found
    }

    /// Rows of a replaced table that stand there more often than before, and that no list of values has put there.
    private func doubled(_ rows: (before: Int64, after: Int64)) throws -> [TableEffect] {
        let own = pairs.filter { !$0.change.isSaid && !old.key.contains($0.old) }
        guard tie == .replaced, rows.after > rows.before, !said.insertsValues, !own.isEmpty,
            (rows.before + rows.after) * 16 <= Int64(ContentSearch.limit)
        else { return [] }
        let (_, count) = try Self.compare(
            contents(before, own.map(\.oldTerm)), contents(after, own.map(\.newTerm)), countsAll: false)
        guard count > 0 else { return [] }
        return [TableEffect(kind: .rowsDoubled, count: count, rows: (rows.before, rows.after))]
    }
}
