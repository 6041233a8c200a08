/// How a cell's length hides the length of its value.
public enum CellPadding: Sendable, Hashable {
    /// No padding: the cell is 46 bytes longer than the value.
    case none
    /// The plaintext is padded to a multiple of this many bytes, 2 to 65,536.
    case multiple(of: Int)

    /// The allowed units.
    static let units = 2...65_536

    /// The plaintext's length with padding.
    func paddedLength(_ length: Int) throws(LockstepError) -> Int {
        guard case .multiple(let unit) = self else { return length }
        guard Self.units.contains(unit) else {
            throw LockstepError(
                .misuse, "the padding unit must be 2 to 65536 bytes, not \(unit)")
        }
        // At least one byte of padding marks the end of the value.
        return (length + 1 + unit - 1) / unit * unit
    }
}
