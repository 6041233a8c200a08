extension MutableSpan<UInt8> {
    /// Copies all of `source` to `offset` at once.
    mutating func copy(_ source: Span<UInt8>, to offset: Int) {
        precondition(offset >= 0 && source.count <= count - offset)
        unsafe withUnsafeMutableBytes { target in
            unsafe source.withUnsafeBytes { source in
                unsafe UnsafeMutableRawBufferPointer(rebasing: target[offset...])
                    .copyMemory(from: source)
            }
        }
    }

    /// Lends a piece to `body`.
    mutating func with<Result>(
        _ piece: Range<Int>,
        _ body: (inout MutableSpan<UInt8>) throws(LockstepError) -> Result
    ) throws(LockstepError) -> Result {
        try unsafe withUnsafeMutableBufferPointer { bytes throws(LockstepError) in
            var span = unsafe MutableSpan(_unsafeElements: UnsafeMutableBufferPointer(rebasing: bytes[piece]))
            return try body(&span)
        }
    }
}
