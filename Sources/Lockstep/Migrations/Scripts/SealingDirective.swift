/// A change of a column's cells, as a migration requests it:
///
///     -- lockstep: protect movie.title dataset=catalogue index=exact,prefix-3:16 padding=32 batch=5000
///     -- lockstep: unprotect movie.title dataset=catalogue
///     -- lockstep: rotate movie.title dataset=catalogue
///
/// `rotate` reseals the cells that use older versions of the field key. `mode=deterministic` is for columns used
/// in joins and groups. An index is a normaliser, optionally followed by a colon and the number of bits of its
/// tokens. An index over so few distinct values that its tokens identify them is refused, unless
/// `histogram=accepted` permits it.
package struct SealingDirective: Sendable, Equatable {
    package let change: SealingChange
    /// The name of the dataset whose fields keyring seals the column.
    package let dataset: String

    /// Nil for text that is not a sealing directive, or not in this form.
    package init?(_ text: String) {
        var cursor = SQLCursor(text, comments: true)
        guard let word = try? cursor.next().word, let table = try? cursor.next().name.spelling,
            cursor.take("."), let column = try? cursor.next().name.spelling
        else { return nil }
        let options = Substring(text.utf8.dropFirst(cursor.end))
        var values: [String: String] = [:]  // exact: words of the source
        for option in options.split(whereSeparator: { $0 == " " || $0 == "\t" }) {
            let parts = option.pieces(between: "=", atMost: 1)
            guard parts.count == 2, !parts[1].isEmpty,
                values.updateValue(String(parts[1]), forKey: String(parts[0])) == nil
            else { return nil }
        }
        var batch = SealingChange.defaultBatch
        if let text = values.removeValue(forKey: "batch") {
            guard let number = Int(text), (1...1_000_000).contains(number) else { return nil }
            batch = number
        }
        guard let dataset = values.removeValue(forKey: "dataset") else { return nil }
        let goal: SealingGoal
        switch word {
        case "protect":
            guard let protection = Self.protection(&values) else { return nil }
            goal = protection
        case "unprotect": goal = .unprotect
        case "rotate": goal = .reseal
        default: return nil
        }
        guard values.isEmpty else { return nil }
        change = SealingChange(table: table, column: column, goal: goal, batch: batch)
        self.dataset = dataset
    }

    // exact: words of the source
    private static func protection(_ values: inout [String: String]) -> SealingGoal? {
        var mode = SealedColumn.Mode.random
        if let text = values.removeValue(forKey: "mode") {
            guard let known = SealedColumn.Mode(rawValue: text) else { return nil }
            mode = known
        }
        var padding = CellPadding.none
        if let text = values.removeValue(forKey: "padding") {
            guard let unit = Int(text), let known = CellPadding(unit: unit), known != .none else {
                return nil
            }
            padding = known
        }
        var indexes: [SealedIndex.Request] = []
        for text in values.removeValue(forKey: "index")?.split(separator: ",") ?? [] {
            guard let index = SealedIndex.Request(String(text)) else { return nil }
            indexes.append(index)
        }
        if let text = values.removeValue(forKey: "histogram") {
            guard text == "accepted", !indexes.isEmpty else { return nil }
            for place in indexes.indices { indexes[place].mayBeHistogram = true }
        }
        return .protect(mode: mode, padding: padding, indexes: indexes)
    }

    /// Whether the change turns plaintext into cells.
    package var isProtection: Bool {
        if case .protect = change.goal { true } else { false }
    }

    /// The text that parses to this directive.
    package var spelling: String { "\(result) batch=\(change.batch)" }

    /// The same text without the batch size, which does not change the result.
    var result: String {
        let name = "\(SQLTokens.quote(change.table)).\(SQLTokens.quote(change.column))"
        var words: [String]
        switch change.goal {
        case .protect(let mode, let padding, let indexes):
            words = ["protect", name, "dataset=\(dataset)"]
            if mode != .random { words.append("mode=\(mode.rawValue)") }
            if padding != .none { words.append("padding=\(padding.unit)") }
            if !indexes.isEmpty {
                words.append("index=\(indexes.map(\.spelling).joined(separator: ","))")
            }
            if indexes.contains(where: \.mayBeHistogram) { words.append("histogram=accepted") }
        case .unprotect: words = ["unprotect", name, "dataset=\(dataset)"]
        case .reseal: words = ["rotate", name, "dataset=\(dataset)"]
        }
        return words.joined(separator: " ")
    }

    /// The keys of its dataset, from the keyrings that the connection was opened with.
    /// - Throws: ``LockstepError/Code/keyUnavailable``.
    func keys(_ connection: borrowing Connection) throws(LockstepError) -> FieldKeys {
        guard let keys = connection.sealed?.keys(named: dataset) else {
            throw LockstepError(
                .keyUnavailable,
                "\(change.title) belongs to the dataset \(dataset), " + "but its fields keyring was not given",
                hint: "pass \(dataset).fields.keyring", context: change.context)
        }
        return keys
    }
}
