// A cell is a sealed value as stored in a column, always a BLOB.
//
//   offset  length
//   0       1       format and binding version
//                   of version 1: 0xF9 XAES-256-GCM · 0xFA AES-256-SIV · 0xFB chunked stream
//                   of version 2: 0xFC XAES-256-GCM · 0xFD AES-256-SIV · 0xFE chunked stream
//   1       4       version of the field key, big-endian, never 0
//   5       24      XAES-256-GCM: nonce
//           16      AES-256-SIV: synthetic IV
//           24+32   chunked stream: salt and commitment
//   ..      n       ciphertext of: type tag (1) ‖ payload ‖ padding
//   ..      16      XAES-256-GCM: tag · AES-256-SIV: nothing · chunked stream: 16 for each chunk of 16 KiB
//
// The first byte never occurs in UTF-8, so text is never mistaken for a cell.
//
// A cell of binding version 2 belongs to the column that has an identity of 16 random bytes, given when the column was
// sealed: it opens in no other column, whatever database that is in. Version 1 has the column's number in its place,
// which another database of the dataset gives to another column. This version of the engine reads cells of binding
// version 1 in columns without an identity, and resealing such a column gives it one.
//
// After its prefix, a chunked cell is one message of C2SP's chunked encryption, with SHA-512 and AES-256-GCM. Its
// plaintext, which begins with the type tag, is cut into chunks of 16 KiB; the last chunk is shorter and can be empty.
// Byte i of the payload is byte (i + 1) mod 16,384 of chunk (i + 1) div 16,384. The tag is in the same place as in all
// cells, is authenticated together with the payload, and can have the padding flag. The associated data is the
// message's context, from which the chunks' key is derived: a chunk opens only under its own number in its own cell.
// The last chunk is known by its length; once it has opened, nothing is missing at the end.
//
// A value that is sealed in one piece becomes a stream if it is a BLOB whose plaintext is longer than 1 MiB and a byte.
// A value that is written as a stream becomes one at any length, because its bytes are never all in memory at once.
//
// Associated data, all numbers big-endian:
//
//   1       binding version, 1 or 2
//   5       the cell's first five bytes
//   16      the dataset's identifier
//   4       version 1: the column's number
//   16      version 2: the column's identity
//   1       binding: 0 column, 1 row
//   1       number of primary-key values that follow; 0 without a row
//   each    type tag (1) ‖ length (4) ‖ bytes
//
// A cell is valid if its length is at least the minimum of its format, its format and its binding version are the
// column's, its key version is one of the keyring's and has the commitment that the registry holds for it, it
// authenticates under that column's key with this associated data, and its plaintext decodes without a byte left over.

/// How a cell is sealed. Together with the binding version, it is the cell's first byte.
enum CellFormat: UInt8, Sendable, CaseIterable {
    /// XAES-256-GCM with a random nonce: equal values look different. The default.
    case random = 0
    /// AES-256-SIV: equal values of a column look equal.
    case deterministic = 1
    /// C2SP chunked encryption, for values too large to be sealed in one piece.
    case chunked = 2

    /// The first byte of the first format of binding version 1. All others follow it.
    private static let firstByte: UInt8 = 0xF9
    /// The number of formats: a constant, because each cell that is opened takes it.
    private static let count: UInt8 = 3

    /// The first byte of its cells.
    func byte(_ version: BindingVersion) -> UInt8 {
        Self.firstByte + (version.rawValue - 1) * Self.count + rawValue
    }

    /// The format and the binding version of cells with this first byte; nil if no cell begins with it.
    static func of(_ byte: UInt8) -> (format: CellFormat, version: BindingVersion)? {
        guard byte >= firstByte else { return nil }
        guard let format = CellFormat(rawValue: (byte - firstByte) % count),
            let version = BindingVersion(rawValue: (byte - firstByte) / count + 1)
        else { return nil }
        return (format, version)
    }

    /// Bytes of format and key version.
    static let prefixLength = 5
    /// The longest plaintext of a BLOB that is sealed in one piece: 1 MiB and its type tag.
    static let longestPiece = 1 << 20 + 1
    /// The longest chunked payload that SQL can open, which takes three times as much memory.
    static let longestForSQL = 16 << 20

    /// Bytes before the ciphertext.
    var headerLength: Int {
        switch self {
        case .random: Self.prefixLength + XAES256GCM.nonceLength
        case .deterministic: Self.prefixLength + AES256SIV.vectorLength
        case .chunked: Self.prefixLength + ChunkedLayout.headerLength
        }
    }

    /// Bytes of a cell beyond the plaintext, without the tags of a stream's chunks.
    var overhead: Int {
        self == .random ? headerLength + XAES256GCM.tagLength : headerLength
    }

    /// The length of the cell for a plaintext of this length.
    func cellLength(_ plaintext: Int) throws(LockstepError) -> Int {
        guard self == .chunked else { return overhead + plaintext }
        return try Self.prefixLength + ChunkedLayout(plaintextLength: plaintext).encryptedLength
    }

    /// The length of a cell's plaintext; nil for a length that no cell has.
    func plaintextLength(_ cell: Int) -> Int? {
        guard self == .chunked else { return cell >= overhead ? cell - overhead : nil }
        return ChunkedLayout(encryptedLength: cell - Self.prefixLength)?.plaintextLength
    }
}

/// The first five bytes of a cell, decoded.
package struct CellPrefix: Sendable, Equatable {
    let format: CellFormat
    let binding: BindingVersion
    /// The field key's version.
    package let keyVersion: UInt32

    init(_ format: CellFormat, _ binding: BindingVersion, keyVersion: UInt32) {
        self.format = format
        self.binding = binding
        self.keyVersion = keyVersion
    }

    /// Decodes the beginning of a value; nil if no cell begins this way, or the value is too short to be a cell.
    /// - Parameter length: The length of the whole value, if `bytes` is only its beginning.
    package init?(_ bytes: Span<UInt8>, length: Int? = nil) {
        guard bytes.count >= CellFormat.prefixLength, let (format, binding) = CellFormat.of(bytes[0]),
            // The type tag, at least, is sealed.
            length ?? bytes.count > format.overhead
        else { return nil }
        var version: UInt32 = 0
        for index in 1..<CellFormat.prefixLength { version = version << 8 | UInt32(bytes[index]) }
        guard version != 0 else { return nil }
        self.init(format, binding, keyVersion: version)
    }

    /// The five bytes.
    var bytes: [UInt8] { [format.byte(binding)] + keyVersion.bigEndianBytes }
}

/// Recognises cells in SQL that any program can run, without a key or a function of the engine.
package enum CellShape {
    /// What the cells of such a column that has an identity begin with, and the length that each of them exceeds.
    package static func beginnings(_ mode: SealingMode) -> [(byte: UInt8, overhead: Int)] {
        mode.formats.map { ($0.byte(.second), $0.overhead) }
    }

    /// SQL that tests whether an expression looks like a cell of such a column, of one of these binding versions, by
    /// the same rules as ``CellPrefix``.
    static func matches(
        _ expression: String, _ mode: SealingMode, _ versions: [BindingVersion] = BindingVersion.allCases
    ) -> String {
        let alternatives = mode.formats.map { format in
            "(\(hasByte(expression, format, versions)) AND length(\(expression)) > \(format.overhead))"
        }
        return
            "(typeof(\(expression)) = 'blob' AND (\(alternatives.joined(separator: " OR "))) AND substr(\(expression), 2, 4) <> x'00000000')"
    }

    /// SQL that tests the binding version of an expression that looks like a cell of such a column.
    static func isOf(
        _ version: BindingVersion, _ expression: String, _ mode: SealingMode
    ) -> String {
        let alternatives = mode.formats.map { hasByte(expression, $0, [version]) }
        return "(\(alternatives.joined(separator: " OR ")))"
    }

    private static func hasByte(_ expression: String, _ format: CellFormat, _ versions: [BindingVersion]) -> String {
        let bytes = versions.map { "x'\(Hex.encode([format.byte($0)]))'" }
        let first = "substr(\(expression), 1, 1)"
        return bytes.count == 1 ? "\(first) = \(bytes[0])" : "\(first) IN (\(bytes.joined(separator: ", ")))"
    }
}
