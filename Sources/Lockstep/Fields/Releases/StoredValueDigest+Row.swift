extension StoredValueDigest {
    /// Adds a value of a row.
    /// - Returns: Whether it looks like a cell; nil for NULL.
    @discardableResult
    package mutating func add(_ row: borrowing Row, _ column: Int) throws(LockstepError) -> Bool? {
        switch try row.stored(column) {
        case .null:
            try add(.null, [])
            return nil
        case .integer(let number): try add(.integer, number.bigEndianBytes)
        case .real(let number): try add(.real, number.bitPattern.bigEndianBytes)
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

    private mutating func add(_ tag: CellTag, _ bytes: [UInt8]) throws(LockstepError) {
        unsafe try add(tag, bytes.span.bytes)
    }
}
