/// What a version does to the rows that a table has before it.
public struct TableEffects: Sendable, Hashable, CustomStringConvertible {
    /// One kind of difference between the rows before and the rows after.
    public struct Effect: Sendable, Hashable {
        /// What has happened.
        public enum Kind: String, Sendable {
            /// Rows are neither in their table nor in another that the run has filled.
            case gone
            /// Rows that were not there before.
            case new
            /// Rows that stand more often than before.
            case doubled
            /// The values of a column are gone with it.
            case columnGone
            /// Values of a column are others.
            case changed
            /// Values of a column are others under its new type.
            case converted
            /// Values of a column become NULL.
            case becameNull
        }

        /// What has happened.
        public let kind: Kind
        /// The column, under its name before the version; nil for what happened to whole rows.
        public let column: String?
        /// How many rows or values.
        public package(set) var count: Int
        /// The keys of up to five of the rows, if ``Rehearsal/namesRows`` asks for them: its rowid, or the values of the
        /// primary key, as in SQL.
        public package(set) var keys: [String] = []
        /// Whether the version says it, or declares it.
        public let isDeclared: Bool

        /// The effect as a part of a line.
        var text: String {
            let column = column ?? ""
            let what =
                switch kind {
                case .gone: "\(count) gone"
                case .new: "\(count) new"
                case .doubled: "\(count) doubled"
                case .columnGone: "\(counted(count, "value")) of \(column) gone"
                case .changed: "\(count) changed in \(column)"
                case .converted: "\(count) converted in \(column)"
                case .becameNull: "\(counted(count, "value")) of \(column) \(count == 1 ? "becomes" : "become") NULL"
                }
            let named = what + TableEffects.text(ofKeys: keys, count)
            return isDeclared ? named : "\(named), undeclared"
        }
    }

    /// The table, under its name before the version; the name that the version gives, if it makes the table.
    @Exact public private(set) var table: String
    /// How many of its rows stand.
    public package(set) var standing: Int
    /// What has happened to the others, and to values.
    public package(set) var effects: [Effect]

    init(table: String, standing: Int, effects: [Effect]) {
        (self.table, self.standing, self.effects) = (table, standing, effects)
    }

    /// `film: 3201 rows stand · 12 changed in rating · 1 new`.
    public var description: String {
        let rows = standing == 0 ? [] : [standing == 1 ? "1 row stands" : "\(standing) rows stand"]
        return "\(table): " + (rows + effects.map(\.text)).joined(separator: " · ")
    }

    /// How many rows are named.
    static let namedKeys = 5

    /// Keys of rows as the end of a phrase; empty without keys.
    static func text(ofKeys keys: [String], _ count: Int) -> String {
        guard !keys.isEmpty else { return "" }
        return " (\(keys.joined(separator: ", "))\(keys.count < count ? ", …" : ""))"
    }

    /// The effects of a version's transactions as those of one.
    static func merged(_ all: [TableEffects]) -> [TableEffects] {
        var merged: [TableEffects] = []
        for one in all {
            // exact: names of SQLite
            guard let place = merged.firstIndex(where: { SQLName($0.table) == SQLName(one.table) }) else {
                merged.append(one)
                continue
            }
            merged[place].standing = min(merged[place].standing, one.standing)
            for effect in one.effects { merged[place].add(effect) }
        }
        return merged
    }

    private mutating func add(_ effect: Effect) {
        let same = effects.firstIndex {
            $0.kind == effect.kind && $0.isDeclared == effect.isDeclared
                && $0.column.map { SQLName($0) } == effect.column.map { SQLName($0) }  // exact: names of SQLite
        }
        guard let same else { return effects.append(effect) }
        effects[same].count += effect.count
        effects[same].keys = Array((effects[same].keys + effect.keys).prefix(Self.namedKeys))
    }
}
