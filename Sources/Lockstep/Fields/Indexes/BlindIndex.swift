// Blind indexes
// =============
//
// A blind index has a token for each row: a keyed hash of the values of one or several columns, truncated to some bits.
// Equal values have equal tokens, so a look-up by the token finds the row. A reader without the key learns which tokens
// are equal, and how often each occurs. Different values can have the same token, by chance and by design, so the
// engine opens and compares each row that it finds.
//
//   key    HKDF-SHA256(index key of the version, salt = dataset, info, 32 bytes), where info, all numbers big-endian:
//
//     5       `index`
//     1       binding version: 1, or 2 for a column that has an identity
//     4       version 1: the column's number
//     16      version 2: the column's identity
//     4       the index's number among those of the column, from 1; never reused, so that an index that is created
//             again with other settings has another key
//     2       bits of a token
//     1       number of values, 1 to 16
//     each    length (4) ‖ name of the value's normaliser (Normaliser.swift)
//
//   token  the first bits of HMAC-SHA256(key, message), where message is
//
//     of one value     type tag (1), as in a cell ‖ normalised value
//     of several       for each: type tag (1) ‖ length (4) ‖ normalised value
//
// Under one key, two different lists of values never give the same message, because the key determines the number of
// values. If one of the values has no entry, there is no token: the row has NULL, and a look-up finds nothing, as with
// NULL in SQL.
//
// A token of 1 to 63 bits is an INTEGER that is not negative: the first 8 bytes of the HMAC, big-endian, shifted right
// by 64 − bits. A token of 128 or 256 bits is a BLOB, the first 16 or all 32 bytes. These are for UNIQUE, because
// tokens of this length are equal only for equal values.

/// The definition of one blind index, which look-ups in a sealed column use.
public struct BlindIndex: Sendable, Hashable {
    /// The number of its column.
    public let column: UInt32
    /// The identity of its column, 16 bytes, from which its key is derived; nil if that is its column's number.
    public let identity: [UInt8]?
    /// Its number among the column's indexes, from 1; never reused.
    public let number: UInt32
    /// The normaliser for each of its values, 1 to 16.
    public let normalisers: [Normaliser]
    /// The length of its tokens: 1 to 63 bits for an INTEGER; 128 or 256 for a BLOB, for UNIQUE.
    public let bits: Int
    /// The version of the index key that computes it.
    public let keyVersion: UInt32

    static let maximumValues = 16

    /// An index of one value or of several values together.
    /// - Throws: ``LockstepError/Code/misuse`` for invalid parameters.
    public init(
        column: UInt32, identity: [UInt8]? = nil, number: UInt32, _ normalisers: [Normaliser],
        bits: Int, keyVersion: UInt32
    ) throws(LockstepError) {
        guard column > 0, number > 0, keyVersion > 0 else {
            throw LockstepError(
                .misuse, "numbers of columns, indexes and key versions start at 1")
        }
        guard (1...Self.maximumValues).contains(normalisers.count) else {
            throw LockstepError(
                .misuse, "a blind index has 1 to \(Self.maximumValues) values, not \(normalisers.count)")
        }
        guard Self.isWidth(bits) else {
            throw LockstepError(
                .misuse, "a blind index has 1 to 63, 128 or 256 bits, not \(bits)",
                hint: "use 128 for a UNIQUE index, and fewer for any other")
        }
        for normaliser in normalisers { try normaliser.validate() }
        guard identity?.count ?? CellOwner.identityLength == CellOwner.identityLength else {
            throw LockstepError(.misuse, "a column's identity has \(CellOwner.identityLength) bytes")
        }
        self.column = column
        self.identity = identity
        self.number = number
        self.normalisers = normalisers
        self.bits = bits
        self.keyVersion = keyVersion
    }

    /// Whether tokens can have this length.
    static func isWidth(_ bits: Int) -> Bool { (1...63).contains(bits) || isForUnique(bits) }

    /// Whether tokens of this length differ whenever values do.
    static func isForUnique(_ bits: Int) -> Bool { bits == 128 || bits == 256 }

    /// Whether its tokens are INTEGERs; otherwise they are BLOBs.
    package var hasIntegers: Bool { !Self.isForUnique(bits) }

    /// The info from which its key is derived.
    var info: [UInt8] {
        var info = Array("index".utf8)
        let owner = CellOwner(column, identity)
        info.append(owner.version.rawValue)
        info += owner.bytes
        info += number.bigEndianBytes
        info += UInt16(truncatingIfNeeded: bits).bigEndianBytes
        info.append(UInt8(truncatingIfNeeded: normalisers.count))
        for normaliser in normalisers {
            let name = Array(normaliser.spelling.utf8)
            info += UInt32(truncatingIfNeeded: name.count).bigEndianBytes
            info += name
        }
        return info
    }

    /// The bytes that are hashed for a row; nil if it has no entry. A row that a look-up finds by its token matches if
    /// these bytes are equal, too.
    /// - Throws: ``LockstepError/Code/misuse`` for another number of values, or for types that the normalisers do not
    ///   accept.
    package func message(_ values: [Value]) throws(LockstepError) -> [UInt8]? {
        guard values.count == normalisers.count else {
            throw LockstepError(
                .misuse,
                "index \(number) of column \(column) has \(counted(normalisers.count, "value")), not \(values.count)")
        }
        var message: [UInt8] = []
        // Enough for most values.
        message.reserveCapacity(64)
        for (value, normaliser) in zip(values, normalisers) {
            message.append(value.tag.rawValue)
            let start = message.count
            guard try normaliser.append(value, to: &message) else { return nil }
            if values.count > 1 {
                // SQLite's values are shorter than 2^31 bytes.
                let length = UInt32(truncatingIfNeeded: message.count - start)
                message.insert(contentsOf: length.bigEndianBytes, at: start)
            }
        }
        return message
    }
}
