/// How the cells of a column are sealed.
public enum SealingMode: String, Sendable, CaseIterable {
    /// Equal values look different; a cell opens only in its own row.
    case random
    /// Equal values look equal, and a cell can be copied from row to row: for joins and GROUP BY.
    case deterministic
}

extension SealingMode {
    /// The format of its cells.
    var format: CellFormat {
        switch self {
        case .random: .random
        case .deterministic: .deterministic
        }
    }

    /// The format of BLOBs that are too large to be sealed in one piece; nil if all values are.
    var largeFormat: CellFormat? {
        switch self {
        case .random: .chunked
        case .deterministic: nil
        }
    }

    /// All formats of its cells.
    var formats: [CellFormat] { [format] + (largeFormat.map { [$0] } ?? []) }

    /// Whether a cell opens only in its own row.
    package var bindsToRow: Bool {
        switch self {
        case .random: true
        case .deterministic: false
        }
    }

    /// Whether anyone who can open the database sees which values are equal.
    var showsEquality: Bool {
        switch self {
        case .random: false
        case .deterministic: true
        }
    }
}
