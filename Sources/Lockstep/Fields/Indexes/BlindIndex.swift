// Blind indexes
// =============
//
// A blind index has a token for each row: a keyed hash of the values of one or several columns, cut to some bits.
// Equal values have equal tokens, so that a look-up by the token finds the row; whoever lacks the key learns which
// tokens are equal, and how often each occurs. Other values may have the same token, by chance and by design: what
// is found is opened and compared.
//
//   key    HKDF-SHA256(index key of the version, salt = dataset, info, 32 bytes), where info, all numbers big-endian:
//
//     5       `index`
//     1       version of this layout, 1
//     4       the column's identifier
//     4       the index's number among those of the column, from 1; never given twice, so that an index made anew in
//             another way has another key
//     2       bits of a token
//     1       how many values it is of, 1 to 16
//     each    length (4) ‖ name of the value's normaliser (Normaliser.swift)
//
//   token  the first bits of HMAC-SHA256(key, message), where message is
//
//     of one value     type tag (1), as in a cell ‖ normalised value
//     of several       of each: type tag (1) ‖ length (4) ‖ normalised value
//
// No two lists of values, however they are cut, are the same message under one key, since the key says how many they
// are. Where one of them has no entry, there is no token: NULL stands in the row, and a look-up finds nothing, as it
// is with NULL in SQL.
//
// A token of 1 to 63 bits is an INTEGER that is not negative: the first 8 bytes of the HMAC, big-endian, shifted to
// the right by 64 − bits. One of 128 or 256 bits is a BLOB, the first 16 or all 32 bytes: these are for UNIQUE, as
// tokens so long are equal for equal values alone.

/// How one blind index is computed: what a look-up in a sealed column goes by.
public struct BlindIndex: Sendable, Hashable {
    /// The identifier of the column that it belongs to.
    public let column: UInt32
    /// Its number among those of the column, from 1; never given to another.
    public let number: UInt32
    /// What each of its values becomes before it is hashed: one normaliser for each, 1 to 16.
    public let normalisers: [Normaliser]
    /// How long its tokens are: 1 to 63 bits, which are an INTEGER, or 128 or 256, which are a BLOB, for UNIQUE.
    public let bits: Int
    /// The version of the index key that it is computed with.
    public let keyVersion: UInt32

    static let layoutVersion: UInt8 = 1
    static let maximumValues = 16

    /// An index of one value, or of several together.
    /// - Throws: ``LockstepError/Code/misuse`` for one that cannot be.
    public init(
        column: UInt32, number: UInt32, _ normalisers: [Normaliser], bits: Int, keyVersion: UInt32
    ) throws(LockstepError) {
        guard column > 0, number > 0, keyVersion > 0 else {
            throw LockstepError(
                .misuse, "columns, their indexes and versions of keys are counted from 1")
        }
        guard (1...Self.maximumValues).contains(normalisers.count) else {
            throw LockstepError(
                .misuse,
                "a blind index is of 1 to \(Self.maximumValues) values, not of \(normalisers.count)")
        }
        guard Self.isWidth(bits) else {
            throw LockstepError(
                .misuse, "a blind index has 1 to 63, 128 or 256 bits, not \(bits)",
                hint: "128 for a UNIQUE index, and fewer for any other: the planner says how many")
        }
        for normaliser in normalisers { try normaliser.validate() }
        self.column = column
        self.number = number
        self.normalisers = normalisers
        self.bits = bits
        self.keyVersion = keyVersion
    }

    /// Whether tokens can be so long.
    static func isWidth(_ bits: Int) -> Bool { (1...63).contains(bits) || isForUnique(bits) }

    /// Whether tokens of so many bits differ wherever values do.
    static func isForUnique(_ bits: Int) -> Bool { bits == 128 || bits == 256 }

    /// Whether its tokens are INTEGERs, and BLOBs otherwise.
    package var hasIntegers: Bool { !Self.isForUnique(bits) }

    /// What its key is derived for.
    var info: [UInt8] {
        var info = Array("index".utf8)
        info.append(Self.layoutVersion)
        info += column.bigEndianBytes
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

    /// What is hashed of a row; nil where it has no entry. Rows that a look-up finds by their token are those that
    /// were looked for if these bytes are equal too.
    /// - Throws: ``LockstepError/Code/misuse`` for values of another number, or of types that the normalisers are
    ///   not for.
    package func message(_ values: [CellValue]) throws(LockstepError) -> [UInt8]? {
        guard values.count == normalisers.count else {
            throw LockstepError(
                .misuse,
                "index \(number) of column \(column) is of \(normalisers.count) values, not of \(values.count)"
            )
        }
        var message: [UInt8] = []
        // What most values need.
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
