/// SHA-256 over rows of stored values, as Manifest.swift defines it: the same on every engine that stores the same
/// values.
package struct StoredValueDigest: ~Copyable {
    private var digest: StreamingDigest
    private var waiting: [UInt8] = []
    /// The digests of the rows so far; nil if the rows are digested in the order in which they come.
    private var rows: [RowHash]?

    /// The number of bytes collected before they are digested.
    private static let batch = 65_536

    /// - Parameter isOfSet: Whether the order of the rows does not matter. The digest then takes 32 bytes of memory
    ///   per row.
    package init(isOfSet: Bool = false) throws(LockstepError) {
        digest = try StreamingDigest(.sha256)
        rows = isOfSet ? [] : nil
    }

    /// Ends the current row.
    package mutating func endRow() throws(LockstepError) {
        guard rows != nil else { return }
        try flush()
        let next = try StreamingDigest(.sha256)
        let row = exchange(&digest, with: next)
        rows?.append(RowHash(try row.finish()))
    }

    /// Adds a value of the current row.
    package mutating func add(_ tag: CellTag, _ bytes: RawSpan) throws(LockstepError) {
        begin(tag, bytes.byteCount)
        if bytes.byteCount > Self.batch {
            try flush()
            return try digest.update(bytes)
        }
        unsafe bytes.withUnsafeBytes { unsafe waiting.append(contentsOf: $0) }
        if waiting.count > Self.batch { try flush() }
    }

    /// Adds a number of the current row, as its eight bytes.
    package mutating func add(_ tag: CellTag, _ number: UInt64) throws(LockstepError) {
        begin(tag, 8)
        unsafe withUnsafeBytes(of: number.bigEndian) { unsafe waiting.append(contentsOf: $0) }
        if waiting.count > Self.batch { try flush() }
    }

    private mutating func begin(_ tag: CellTag, _ count: Int) {
        waiting.append(tag.rawValue)
        // SQLite's values are shorter than 2^31 bytes.
        let length = UInt32(truncatingIfNeeded: count).bigEndian
        unsafe withUnsafeBytes(of: length) { unsafe waiting.append(contentsOf: $0) }
    }

    private mutating func flush() throws(LockstepError) {
        unsafe try digest.update(waiting.span.bytes)
        waiting.removeAll(keepingCapacity: true)
    }

    package consuming func finish() throws(LockstepError) -> [UInt8] {
        if let rows { return try RowHash.digest(rows) }
        try flush()
        return try digest.finish()
    }
}

/// The SHA-256 of one row, as 32 bytes without an allocation.
struct RowHash: Comparable {
    private let words: (UInt64, UInt64, UInt64, UInt64)

    /// - Parameter bytes: 32 bytes.
    init(_ bytes: [UInt8]) {
        func word(_ number: Int) -> UInt64 {
            bytes.dropFirst(8 * number).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        }
        words = (word(0), word(1), word(2), word(3))
    }

    var bytes: [UInt8] {
        words.0.bigEndianBytes + words.1.bigEndianBytes + words.2.bigEndianBytes + words.3.bigEndianBytes
    }

    static func == (one: RowHash, other: RowHash) -> Bool { one.words == other.words }
    static func < (one: RowHash, other: RowHash) -> Bool { one.words < other.words }

    /// The digest of a set of rows, in any order.
    static func digest(_ rows: [RowHash]) throws(LockstepError) -> [UInt8] {
        let digest = try StreamingDigest(.sha256)
        for row in rows.sorted() { try digest.update(row.bytes) }
        return try digest.finish()
    }
}
