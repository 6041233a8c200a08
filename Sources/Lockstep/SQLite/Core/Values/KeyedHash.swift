internal import CSQLCipher

/// SipHash-1-3 with 128 bits: hashes of values under a key that lives as long as one comparison, so that nobody can
/// choose values whose sums agree.
struct KeyedHash {
    /// A random key.
    struct Key {
        fileprivate let low, high: UInt64

        init() throws(LockstepError) {
            let bytes = try Random.bytes(16)
            func word(_ start: Int) -> UInt64 {
                bytes[start..<(start + 8)].reduce(0) { $0 << 8 | UInt64($1) }
            }
            (low, high) = (word(0), word(8))
        }
    }

    private var v0, v1, v2, v3: UInt64

    init(_ key: Key) {
        v0 = key.low ^ 0x736f_6d65_7073_6575
        v1 = key.high ^ 0x646f_7261_6e64_6f6d ^ 0xEE
        v2 = key.low ^ 0x6c79_6765_6e65_7261
        v3 = key.high ^ 0x7465_6462_7974_6573
    }

    @inline(__always)
    private mutating func round() {
        func turned(_ value: UInt64, _ bits: UInt64) -> UInt64 { value << bits | value >> (64 - bits) }
        v0 &+= v1
        v2 &+= v3
        v1 = turned(v1, 13) ^ v0
        v3 = turned(v3, 16) ^ v2
        v0 = turned(v0, 32)
        v2 &+= v1
        v0 &+= v3
        v1 = turned(v1, 17) ^ v2
        v3 = turned(v3, 21) ^ v0
        v2 = turned(v2, 32)
    }

    @inline(__always)
    mutating func absorb(_ word: UInt64) {
        v3 ^= word
        round()
        v0 ^= word
    }

    mutating func absorb(hash: UInt128) {
        absorb(UInt64(truncatingIfNeeded: hash))
        absorb(UInt64(truncatingIfNeeded: hash >> 64))
    }

    mutating func absorb(_ bytes: UnsafeRawBufferPointer) {
        absorb(UInt64(bytes.count))
        let words = bytes.count / 8
        for index in 0..<words {
            unsafe absorb(bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
        }
        guard bytes.count % 8 > 0 else { return }
        var last: UInt64 = 0
        for index in (words * 8)..<bytes.count { last = unsafe last << 8 | UInt64(bytes[index]) }
        absorb(last)
    }

    /// A TEXT, by its bytes.
    mutating func absorb(text bytes: UnsafeRawBufferPointer) {
        absorb(3)
        unsafe absorb(bytes)
    }

    mutating func finish() -> UInt128 {
        v2 ^= 0xEE
        for _ in 0..<3 { round() }
        let low = v0 ^ v1 ^ v2 ^ v3
        v1 ^= 0xDD
        for _ in 0..<3 { round() }
        return UInt128(v0 ^ v1 ^ v2 ^ v3) << 64 | UInt128(low)
    }
}

extension Row {
    /// Adds a column's value, with its storage class, to a hash. Bytes of a TEXT count as they are stored.
    /// - Parameter isLoose: Whether a whole REAL is the INTEGER of the same value.
    func hash(_ column: Int32, isLoose: Bool = false, into hash: inout KeyedHash) {
        let value = unsafe value(column)
        switch unsafe sqlite3_value_type(value) {
        case SQLITE_INTEGER:
            hash.absorb(1)
            hash.absorb(unsafe UInt64(bitPattern: sqlite3_value_int64(value)))
        case SQLITE_FLOAT:
            let number = unsafe sqlite3_value_double(value)
            if isLoose, let whole = Int64(exactly: number) {
                hash.absorb(1)
                hash.absorb(UInt64(bitPattern: whole))
            } else {
                hash.absorb(2)
                // SQLite takes both zeros for one value.
                hash.absorb((number == 0 ? 0 : number).bitPattern)
            }
        case SQLITE_TEXT:
            let start = unsafe UnsafeRawPointer(sqlite3_value_text(value))
            unsafe hash.absorb(text: UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value))))
        case SQLITE_BLOB:
            hash.absorb(4)
            let start = unsafe sqlite3_value_blob(value)
            unsafe hash.absorb(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value))))
        default: hash.absorb(5)
        }
    }
}
