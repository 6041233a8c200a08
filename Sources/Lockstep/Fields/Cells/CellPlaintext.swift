/// Converts between values and the bytes that are sealed: type tag ‖ payload ‖ padding.
enum CellPlaintext {
    /// Bytes of the type tag.
    private static let tagLength = 1

    /// The length of the plaintext of `value`.
    static func length(
        of value: Value, _ padding: CellPadding
    ) throws(LockstepError) -> Int {
        let payload =
            switch value {
            case .text(let text): text.utf8.count
            case .blob(let blob): blob.count
            default: value.tag.fixedLength ?? 0
            }
        return try length(ofPayload: payload, padding)
    }

    /// The length of the plaintext of a payload of `count` bytes.
    static func length(ofPayload count: Int, _ padding: CellPadding) throws(LockstepError) -> Int {
        try padding.paddedLength(tagLength + count)
    }

    /// Writes a payload that already has its type's form to `output`, as ``write(_:_:to:)`` does.
    static func write(
        _ tag: CellTag, _ payload: Span<UInt8>, _ padding: CellPadding, to output: inout MutableSpan<UInt8>
    ) {
        let isPadded = padding != .none
        output[0] = tag.rawValue | (isPadded ? CellTag.paddedFlag : 0)
        let end = write(payload, to: &output)
        if isPadded { output[end] = 0x80 }
    }

    /// Writes `value` to `output`, which must be zeroed and have the length that ``length(of:_:)`` returns.
    static func write(
        _ value: Value, _ padding: CellPadding, to output: inout MutableSpan<UInt8>
    ) {
        let isPadded = padding != .none
        output[0] = value.tag.rawValue | (isPadded ? CellTag.paddedFlag : 0)
        let end: Int
        switch value {
        case .null: end = tagLength
        case .integer(let number): end = write(UInt64(bitPattern: number), to: &output)
        case .real(let number):
            // One canonical NaN: other NaNs could carry hidden data.
            let canonical = number.isNaN ? Double.nan : number
            end = write(canonical.bitPattern, to: &output)
        case .text(let text): end = write(text, to: &output)
        case .blob(let blob): end = write(blob.span, to: &output)
        }
        if isPadded { output[end] = 0x80 }
    }

    /// Decodes the output of ``write(_:_:to:)``; nil for anything else.
    static func read(_ plaintext: Span<UInt8>) -> Value? {
        guard let (tag, range) = payload(plaintext) else { return nil }
        let payload = plaintext.extracting(range)
        switch tag {
        case .null: return .null
        case .integer: return .integer(integer(payload))
        case .real: return .real(Double(bitPattern: UInt64(bitPattern: integer(payload))))
        case .text: return text(payload).map(Value.text)
        case .blob: return .blob(bytes(payload))
        }
    }

    /// The type and the range of the payload; nil for bytes that are not a cell's plaintext.
    static func payload(_ plaintext: Span<UInt8>) -> (CellTag, Range<Int>)? {
        guard plaintext.count >= tagLength else { return nil }
        var byte = plaintext[0]
        var end = plaintext.count
        if byte & CellTag.paddedFlag != 0 {
            byte &= ~CellTag.paddedFlag
            while end > tagLength, plaintext[end - 1] == 0 { end -= 1 }
            guard end > tagLength, plaintext[end - 1] == 0x80 else { return nil }
            end -= 1
        }
        guard let tag = CellTag(rawValue: byte) else { return nil }
        if let length = tag.fixedLength, end - tagLength != length { return nil }
        return (tag, tagLength..<end)
    }

    // MARK: Bytes

    private static func write(_ bits: UInt64, to output: inout MutableSpan<UInt8>) -> Int {
        for index in 0..<8 {
            output[tagLength + index] = UInt8(truncatingIfNeeded: bits >> (56 - 8 * UInt64(index)))
        }
        return tagLength + 8
    }

    private static func write(_ text: String, to output: inout MutableSpan<UInt8>) -> Int {
        var text = text
        return text.withUTF8 { unsafe write(Span(_unsafeElements: $0), to: &output) }
    }

    private static func write(_ bytes: Span<UInt8>, to output: inout MutableSpan<UInt8>) -> Int {
        output.copy(bytes, to: tagLength)
        return tagLength + bytes.count
    }

    /// The integer in eight bytes.
    static func integer(_ payload: Span<UInt8>) -> Int64 {
        var bits: UInt64 = 0
        for index in 0..<8 { bits = bits << 8 | UInt64(payload[index]) }
        return Int64(bitPattern: bits)
    }

    private static func text(_ payload: Span<UInt8>) -> String? {
        unsafe payload.withUnsafeBufferPointer {
            unsafe String(validating: $0, as: UTF8.self)
        }
    }

    private static func bytes(_ payload: Span<UInt8>) -> [UInt8] {
        unsafe payload.withUnsafeBufferPointer { unsafe Array($0) }
    }
}
