/// How a cell's length is kept from telling the length of its value.
public enum CellPadding: Sendable, Hashable {
    /// Not at all: the cell is as long as the value, and 46 bytes.
    case none
    /// The plaintext is filled up to a multiple of so many bytes, 2 to 65,536.
    case multiple(of: Int)

    /// What a unit may be.
    static let units = 2...65_536

    /// The plaintext's length with padding.
    func paddedLength(_ length: Int) throws(LockstepError) -> Int {
        guard case .multiple(let unit) = self else { return length }
        guard Self.units.contains(unit) else {
            throw LockstepError(
                .misuse, "cells are padded to multiples of 2 to 65536 bytes, not of \(unit)")
        }
        // One byte of padding at least, to tell where the value ends.
        return (length + 1 + unit - 1) / unit * unit
    }
}
