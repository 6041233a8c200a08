/// A blind index of a sealed column, with the table column that holds its tokens.
public struct SealedIndex: Sendable, Hashable {
    /// A blind index to create when sealing a column.
    public struct Request: Sendable, Hashable {
        /// The default length of tokens: from some 16 million rows on, each value is likely to share its token with
        /// another value. Fewer bits reveal less about which rows are equal.
        public static let defaultBits = 24

        /// The form in which values are compared.
        public let normaliser: Normaliser
        /// The length of its tokens: 1 to 63 bits, or 128 or 256 for a unique index.
        public let bits: Int
        /// Whether the column may have so few distinct values that the frequency of each token reveals its value.
        public var mayBeHistogram = false

        /// An index of values in the form that `normaliser` gives them.
        public init(
            _ normaliser: Normaliser, bits: Int = defaultBits, mayBeHistogram: Bool = false
        ) {
            (self.normaliser, self.bits) = (normaliser, bits)
            self.mayBeHistogram = mayBeHistogram
        }

        /// Parses `exact`, or `exact:24` with a number of bits; nil for anything else.
        public init?(_ text: String) {
            let parts = text.pieces(between: ":").map(
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
    @Exact public private(set) var name: String

    package var normaliser: Normaliser { index.normalisers[0] }

    /// The same index for the tokens of another owner.
    func belonging(to identity: [UInt8]?) throws(LockstepError) -> SealedIndex {
        SealedIndex(
            index: try BlindIndex(
                column: index.column, identity: identity, number: index.number, index.normalisers,
                bits: index.bits, keyVersion: index.keyVersion),
            name: name)
    }

    /// The request that creates this index.
    var request: Request { Request(normaliser, bits: index.bits) }

    /// The name of the column that holds the tokens of such an index.
    package static func name(_ request: Request, of column: String) -> String {
        "\(column)_\(ending(request.normaliser))"
    }

    /// The suffix after the sealed column's name.
    package static func ending(_ normaliser: Normaliser) -> String {
        "\(normaliser.spelling.replacing("-", with: "_"))_token"
    }
}
