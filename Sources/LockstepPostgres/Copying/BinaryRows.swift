internal import Lockstep

/// Rows in the binary format of COPY: a header, then for each row the number of its values, and for each value its
/// length and bytes; −1 is the length of NULL, and the number of values after the last row.
struct BinaryRows {
    /// `PGCOPY`, the flags and the length of the header's extension.
    static let header: [UInt8] = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    static let end: [UInt8] = [0xFF, 0xFF]

    private(set) var bytes: [UInt8] = []

    mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }
    mutating func append(_ raw: [UInt8]) { bytes += raw }

    mutating func beginRow(_ count: Int) { append(UInt16(truncatingIfNeeded: count)) }
    mutating func appendNull() { append(UInt32.max) }

    mutating func append(_ number: Int64) {
        append(UInt32(8))
        append(UInt64(bitPattern: number))
    }

    mutating func append(_ number: Int32) {
        append(UInt32(4))
        append(UInt32(bitPattern: number))
    }

    mutating func append(_ number: Int16) {
        append(UInt32(2))
        append(UInt16(bitPattern: number))
    }

    mutating func append(_ number: Double) {
        append(UInt32(8))
        append(number.bitPattern)
    }

    mutating func append(_ number: Float) {
        append(UInt32(4))
        append(number.bitPattern)
    }

    mutating func append(_ flag: Bool) {
        append(UInt32(1))
        bytes.append(flag ? 1 : 0)
    }

    mutating func append(_ span: RawSpan) {
        append(UInt32(truncatingIfNeeded: span.byteCount))
        unsafe span.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
    }

    mutating func append(value: [UInt8]) {
        append(UInt32(truncatingIfNeeded: value.count))
        bytes += value
    }

    mutating func append(_ text: String) {
        append(UInt32(truncatingIfNeeded: text.utf8.count))
        bytes += text.utf8
    }

    private mutating func append(_ number: some FixedWidthInteger) {
        unsafe withUnsafeBytes(of: number.bigEndian) { unsafe bytes.append(contentsOf: $0) }
    }
}

/// Cuts what a COPY in the binary format sends into rows and values. A piece need not end where a row ends.
struct BinaryReader {
    private var waiting: [UInt8] = []
    private var isBegun = false
    private var hasEnded = false

    /// A value's place in ``bytes``; nil for NULL.
    typealias Place = Range<Int>?

    /// - Parameter body: Called with the bytes and the places of each row's values.
    /// - Throws: `LockstepError.Code.copyDiffers` for bytes that are not in the format; the errors of `body`.
    mutating func take(
        _ piece: [UInt8], _ body: ([UInt8], [Place]) throws -> Void
    ) throws {
        waiting += piece
        var position = 0
        if !isBegun {
            guard waiting.count >= BinaryRows.header.count else { return }
            guard waiting.starts(with: BinaryRows.header) else { throw Self.malformed }
            position = BinaryRows.header.count
            isBegun = true
        }
        while !hasEnded, let (next, places) = try row(at: position) {
            if let places { try body(waiting, places) } else { hasEnded = true }
            position = next
        }
        waiting.removeFirst(position)
    }

    /// - Throws: `LockstepError.Code.copyDiffers` if the end has not come.
    func requireEnd() throws(LockstepError) {
        guard hasEnded, waiting.isEmpty else { throw Self.malformed }
    }

    /// - Returns: Where the next row begins, and the places of the values, nil at the end; nil if the row is not
    ///   complete.
    private func row(at start: Int) throws(LockstepError) -> (next: Int, places: [Place]?)? {
        guard let count = number(at: start, 2) else { return nil }
        guard count != 0xFFFF else { return (start + 2, nil) }
        var position = start + 2
        var places: [Place] = []
        places.reserveCapacity(count)
        for _ in 0..<count {
            guard let length = number(at: position, 4) else { return nil }
            position += 4
            guard length != 0xFFFF_FFFF else {
                places.append(nil)
                continue
            }
            guard length < 1 << 30 else { throw Self.malformed }
            guard position + length <= waiting.count else { return nil }
            places.append(position..<(position + length))
            position += length
        }
        return (position, places)
    }

    private func number(at position: Int, _ count: Int) -> Int? {
        guard position + count <= waiting.count else { return nil }
        var number = 0
        for index in position..<(position + count) {
            number = number << 8 | Int(waiting[index])
        }
        return number
    }

    static let malformed = LockstepError(
        .copyDiffers, "the server sent rows that are not in COPY's binary format",
        hint: "check that a PostgreSQL server answers there, and try again")
}
