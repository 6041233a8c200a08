/// A column that is sealed, is becoming so, or has been.
public struct SealedColumn: Sendable, Hashable {
    /// How far a column is from plaintext to sealed, or back.
    public enum State: String, Sendable, CaseIterable {
        /// It holds plaintext, and its identifier is kept for when it is sealed again.
        case plaintext
        /// It holds both; what is written is sealed.
        case migrating
        /// It holds cells; anything else in it is an error, and never a value.
        case sealed
        /// It holds both; what is written is plaintext.
        case unsealing

        /// The states that may follow.
        var successors: [State] {
            switch self {
            case .plaintext: [.migrating]
            case .migrating: [.sealed, .unsealing]
            case .sealed: [.unsealing]
            case .unsealing: [.plaintext, .migrating]
            }
        }
    }

    /// How its cells are sealed.
    public typealias Mode = SealingMode

    /// Its number in the dataset, from 1 on; no other column ever gets it.
    public let id: UInt32
    /// The table that it is in.
    public internal(set) var table: String
    /// What it is called there.
    public internal(set) var name: String
    /// How its cells are sealed.
    public let mode: Mode
    /// How its cells' lengths are hidden.
    public let padding: CellPadding
    /// How far it is.
    public internal(set) var state: State
    /// While it goes from one state to another: the last row that is done, in the order of its key.
    public internal(set) var cursor: Int64?
    /// What its cells are bound to; nil where they are bound to the column alone, or that is not noted.
    var rowKey: SealedRowKey?
    /// What look-ups in it go by.
    public internal(set) var indexes: [SealedIndex] = []
}

/// A blind index of a sealed column, as the table has it.
public struct SealedIndex: Sendable, Hashable {
    /// What is asked for when a column is sealed.
    public struct Request: Sendable, Hashable {
        /// How long tokens are where nobody says otherwise: some 16 million rows until two different values are
        /// likely to coincide for each of them. Fewer tell less of which rows are equal.
        public static let usualBits = 24

        /// What values become before they are compared.
        public let normaliser: Normaliser
        /// How long its tokens are: 1 to 63 bits, or 128 or 256 for a unique index.
        public let bits: Int
        /// Whether it may be of values so few that how often each occurs tells which is which.
        public var mayBeHistogram = false

        /// An index by values as `normaliser` makes them.
        public init(
            _ normaliser: Normaliser, bits: Int = usualBits, mayBeHistogram: Bool = false
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

extension CellPadding {
    /// As the registry has it: 0 for none.
    var unit: Int {
        switch self {
        case .none: 0
        case .multiple(let unit): unit
        }
    }

    init?(unit: Int) {
        switch unit {
        case 0: self = .none
        case Self.units: self = .multiple(of: unit)
        default: return nil
        }
    }
}
