/// The columns that a statement returns.
final class ColumnLayout {
    let names: [String]
    /// How often SQLite had prepared the statement again when this was current.
    let preparations: Int32
    private let ordinals: [String: Int32]
    /// Whether all column names are distinct.
    var isUnambiguous: Bool { ordinals.count == names.count }

    init(_ names: [String], preparations: Int32) {
        self.names = names
        self.preparations = preparations
        // Among columns with the same name, the first counts.
        ordinals = Dictionary(
            names.enumerated().map { ($1, Int32(clamping: $0)) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The ordinal of the column with this name; case matters.
    func ordinal(of name: String) -> Int32? { ordinals[name] }
}
