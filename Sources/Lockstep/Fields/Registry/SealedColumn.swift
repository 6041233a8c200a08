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
