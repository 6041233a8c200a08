/// A column that is sealed, is being sealed or unsealed, or was sealed before.
public struct SealedColumn: Sendable, Hashable {
    /// A column's state between plaintext and sealed.
    public enum State: String, Sendable, CaseIterable {
        /// It holds plaintext. Its identifier stays reserved.
        case plaintext
        /// It holds both plaintext and cells; new values are sealed.
        case migrating
        /// It holds cells. Anything else in it is an error, never a value.
        case sealed
        /// It holds both plaintext and cells; new values are plaintext.
        case unsealing
        /// It holds cells that belong to its number, as earlier builds made them, and cells that belong to its
        /// identity; new values get the latter.
        case resealing

        /// The states that can follow.
        var successors: [State] {
            switch self {
            case .plaintext: [.migrating]
            case .migrating: [.sealed, .unsealing]
            case .sealed: [.unsealing, .resealing]
            case .unsealing: [.plaintext, .migrating]
            case .resealing: [.sealed]
            }
        }

        /// Whether it holds cells and nothing else.
        package var holdsCellsAlone: Bool { self == .sealed || self == .resealing }

        /// Whether new values are sealed.
        package var sealsValues: Bool { self == .migrating || holdsCellsAlone }
    }

    /// How its cells are sealed.
    public typealias Mode = SealingMode

    /// Its number in the dataset, from 1. No other column of the database ever gets it.
    public let id: UInt32
    /// Its identity, 16 random bytes, which its cells and tokens belong to; nil if an earlier build sealed it, so that
    /// they belong to its number. Copies of the database keep it.
    public internal(set) var identity: [UInt8]?
    /// Its table.
    @Exact public internal(set) var table: String
    /// Its name in the table.
    @Exact public internal(set) var name: String
    /// How its cells are sealed.
    public let mode: Mode
    /// How the lengths of its cells are hidden.
    public let padding: CellPadding
    /// Its state.
    public internal(set) var state: State
    /// During a change of state: the last finished row, in the order of its key.
    public internal(set) var cursor: Int64?
    /// The primary key that its cells are bound to; nil if they are bound to the column alone, or the registry does not
    /// say.
    package internal(set) var rowKey: SealedRowKey?
    /// Its blind indexes.
    public internal(set) var indexes: [SealedIndex] = []

    /// What its tokens belong to; nil for its number. While it is resealed, these are still the tokens of its number.
    var indexIdentity: [UInt8]? { state == .resealing ? nil : identity }

    /// Its name in messages: `movies.title`.
    package var title: String { "\(table).\(name)" }

    /// The context of errors about the column.
    package var context: LockstepError.Context { .init(table: table, column: name) }
}

extension CellPadding {
    /// The padding as the registry stores it: 0 for none.
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
