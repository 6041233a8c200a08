/// A blind index of a sealed column, as the table has it.
public struct SealedIndex: Sendable, Hashable {
    /// What is asked for when a column is sealed.
    public struct Request: Sendable, Hashable {
        /// How long tokens are where nobody says otherwise: some 16 million rows until two different values are
        /// likely to coincide for each of them. Fewer tell less of which rows are equal.
        public static let defaultBits = 24

        /// What values become before they are compared.
        public let normaliser: Normaliser
        /// How long its tokens are: 1 to 63 bits, or 128 or 256 for a unique index.
        public let bits: Int
        /// Whether it may be of values so few that how often each occurs tells which is which.
        public var mayBeHistogram = false

        /// An index by values as `normaliser` makes them.
        public init(
            _ normaliser: Normaliser, bits: Int = defaultBits, mayBeHistogram: Bool = false
        ) {
            (self.normaliser, self.bits) = (normaliser, bits)
            self.mayBeHistogram = mayBeHistogram
        }

        /// Reads `exact`, or `exact:24` with how many bits; nil for anything else.
        public init?(_ text: String) {
            let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(
                String.init)
            guard parts.count <= 2, let normaliser = try? Normaliser(parts[0])
            else { return nil }
            guard parts.count == 2 else {
                self.init(normaliser)
                return
            }
            guard let bits = Int(parts[1]), BlindIndex.isWidth(bits) else { return nil }
            self.init(normaliser, bits: bits)
        }

        var spelling: String { "\(normaliser.spelling):\(bits)" }
    }

    /// How its tokens are computed.
    public let index: BlindIndex
    /// The column of the same table that holds its tokens.
    public let name: String

    var normaliser: Normaliser { index.normalisers[0] }

    /// What was asked for.
    var request: Request { Request(normaliser, bits: index.bits) }

    /// What the column of such an index is called.
    static func name(_ request: Request, of column: String) -> String {
        "\(column)_\(ending(request.normaliser))"
    }

    /// What follows the column's name.
    static func ending(_ normaliser: Normaliser) -> String {
        "\(normaliser.spelling.replacing("-", with: "_"))_token"
    }
}
