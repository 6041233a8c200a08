extension FixedWidthInteger {
    /// The bytes, most significant first.
    var bigEndianBytes: [UInt8] {
        unsafe withUnsafeBytes(of: bigEndian) { unsafe Array($0) }
    }
}
