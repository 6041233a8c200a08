extension StoredValueDigest {
    /// Adds a value of a row.
    /// - Returns: Whether it looks like a cell; nil for NULL.
    @discardableResult
    package mutating func add(_ row: borrowing Row, _ column: Int) throws(LockstepError) -> Bool? {
        switch try row.stored(column) {
        case .null:
            try add(.null, RawSpan())
            return nil
        case .integer(let number): try add(.integer, UInt64(bitPattern: number))
        case .real(let number): try add(.real, number.bitPattern)
        case .text(let bytes): try add(.text, bytes)
        case .blob(let bytes):
            try add(.blob, bytes)
            let prefix = unsafe bytes.withUnsafeBytes { bytes in
                unsafe CellPrefix(bytes.bindMemory(to: UInt8.self).span)
            }
            return prefix != nil
        }
        return false
    }
}
