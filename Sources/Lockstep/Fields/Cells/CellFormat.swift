// A cell is a sealed value as stored in a column, always a BLOB.
//
//   offset  length
//   0       1       format: 0xF9 XAES-256-GCM · 0xFA AES-256-SIV · 0xFB chunked stream
//   1       4       version of the field key, big-endian, never 0
//   5       24      0xF9: nonce
//           16      0xFA: synthetic IV
//           24+32   0xFB: salt and commitment
//   ..      n       ciphertext of: type tag (1) ‖ payload ‖ padding
//   ..      16      0xF9: tag · 0xFA: nothing · 0xFB: 16 for each chunk of 16 KiB
//
// The first byte never occurs in UTF-8, so text is never mistaken for a cell.
//
// After its prefix, an 0xFB cell is one message of C2SP's chunked encryption, with SHA-512 and AES-256-GCM. Its
// plaintext, which begins with the type tag, is cut into chunks of 16 KiB; the last chunk is shorter and can be empty.
// Byte i of the payload is byte (i + 1) mod 16,384 of chunk (i + 1) div 16,384. The tag is in the same place as in all
// cells, is authenticated together with the payload, and can have the padding flag. The associated data is the
// message's context, from which the chunks' key is derived: a chunk opens only under its own number in its own cell.
// The last chunk is known by its length; once it has opened, nothing is missing at the end.
//
// A value that is sealed in one piece becomes 0xFB if it is a BLOB whose plaintext is longer than 1 MiB and a byte. A
// value that is written as a stream becomes 0xFB at any length, because its bytes are never all in memory at once.
//
// Associated data, all numbers big-endian:
//
//   1       version, 1
//   5       the cell's first five bytes
//   16      the dataset's identifier
//   4       the column's identifier
//   1       binding: 0 column, 1 row
//   1       number of primary-key values that follow; 0 without a row
//   each    type tag (1) ‖ length (4) ‖ bytes
//
// A cell is valid if its length is at least the minimum of its format, its format is the column's, its key version is
// one of the keyring's and has the commitment that the registry holds for it, it authenticates under that column's key
// with this associated data, and its plaintext decodes without a byte left over.

/// How a cell is sealed: its first byte.
enum CellFormat: UInt8, Sendable, CaseIterable {
    /// XAES-256-GCM with a random nonce: equal values look different. The default.
    case random = 0xF9
    /// AES-256-SIV: equal values of a column look equal.
    case deterministic = 0xFA
    /// C2SP chunked encryption, for values too large to be sealed in one piece.
    case chunked = 0xFB

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
struct CellPrefix: Sendable, Equatable {
    let format: CellFormat
    /// The field key's version.
    let keyVersion: UInt32

    init(_ format: CellFormat, keyVersion: UInt32) {
        self.format = format
        self.keyVersion = keyVersion
    }

    /// Decodes the beginning of a value; nil if no cell begins this way, or the value is too short to be a cell.
    /// - Parameter length: The length of the whole value, if `bytes` is only its beginning.
    init?(_ bytes: Span<UInt8>, length: Int? = nil) {
        guard bytes.count >= CellFormat.prefixLength, let format = CellFormat(rawValue: bytes[0]),
            // The type tag, at least, is sealed.
            length ?? bytes.count > format.overhead
        else { return nil }
        var version: UInt32 = 0
        for index in 1..<CellFormat.prefixLength { version = version << 8 | UInt32(bytes[index]) }
        guard version != 0 else { return nil }
        self.init(format, keyVersion: version)
    }

    /// The five bytes.
    var bytes: [UInt8] { [format.rawValue] + keyVersion.bigEndianBytes }
}

/// Recognises cells in SQL that any program can run, without a key or a function of the engine.
enum CellShape {
    /// SQL that tests whether an expression looks like a cell of such a column, by the same rules as ``CellPrefix``.
    static func matches(_ expression: String, _ mode: SealingMode) -> String {
        let alternatives = [mode.format, mode.largeFormat].compactMap(\.self).map { format in
            let byte = Hex.encode([format.rawValue])
            return
                "(substr(\(expression), 1, 1) = x'\(byte)' AND length(\(expression)) > \(format.overhead))"
        }
        return
            "(typeof(\(expression)) = 'blob' AND (\(alternatives.joined(separator: " OR "))) AND substr(\(expression), 2, 4) <> x'00000000')"
    }
}
