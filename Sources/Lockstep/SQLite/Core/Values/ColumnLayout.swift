/// The columns that a statement returns.
final class ColumnLayout {
    let names: [String]
    /// How often SQLite had prepared the statement again when this was current.
    let preparations: Int32
    private let ordinals: [ExactText: Int32]
    /// Whether all column names are distinct.
    var isUnambiguous: Bool { ordinals.count == names.count }

    init(_ names: [String], preparations: Int32) {
        self.names = names
        self.preparations = preparations
        // Among columns with the same name, the first counts.
        ordinals = Dictionary(
            names.enumerated().map { (ExactText($1), Int32(clamping: $0)) }, uniquingKeysWith: { first, _ in first })
    }

    /// The ordinal of the column with this name; case matters.
    func ordinal(of name: String) -> Int32? {
        // Among few names, comparing is faster than hashing.
        guard names.count <= 8 else { return ordinals[ExactText(name)] }
        return names.firstIndex { ExactText.areSame($0, name) }.map {
            Int32(truncatingIfNeeded: $0)
        }
    }
}
