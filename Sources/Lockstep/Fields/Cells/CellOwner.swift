/// The column that cells and tokens belong to, as their keys and their associated data name it.
enum CellOwner: Sendable, Hashable {
    /// The column's number in its dataset: binding version 1. Another database of the dataset gives the same number to
    /// another column, so earlier builds, which knew nothing else, sealed cells that open in both.
    case number(UInt32)
    /// The column's identity: binding version 2.
    case identity([UInt8])

    /// The length of an identity.
    static let identityLength = 16

    /// The identity if the column has one; otherwise its number.
    init(_ number: UInt32, _ identity: [UInt8]?) {
        self = identity.map(Self.identity) ?? .number(number)
    }

    var version: BindingVersion {
        switch self {
        case .number: .first
        case .identity: .second
        }
    }

    /// What keys are derived from.
    var bytes: [UInt8] {
        switch self {
        case .number(let number): number.bigEndianBytes
        case .identity(let identity): identity
        }
    }
}

/// What a cell's column is named by. The version is in the cell's first byte and in its associated data.
enum BindingVersion: UInt8, Sendable, CaseIterable {
    /// The column's number.
    case first = 1
    /// The column's identity.
    case second = 2
}
