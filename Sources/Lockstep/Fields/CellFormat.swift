// A cell is a value as it lies sealed in a column, always a BLOB.
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
// The first byte never occurs in UTF-8, so that no text is taken for a cell.
//
// Associated data, all numbers big-endian:
//
//   1       version, 1
//   5       the cell's first five bytes
//   16      the dataset's identifier
//   4       the column's identifier
//   1       binding: 0 column, 1 row
//   1       how many primary-key values follow; 0 without a row
//   each    type tag (1) ‖ length (4) ‖ bytes
//
// A cell is valid if its length is at least its format's least, its format is the column's, its key version is
// one of the keyring's that has the commitment which the registry holds for it, it authenticates under that
// column's key with this associated data, and its plaintext decodes without a byte left over.

/// How a cell is sealed: its first byte.
enum CellFormat: UInt8, Sendable, CaseIterable {
    /// XAES-256-GCM with a random nonce: equal values look different. The default.
    case random = 0xF9
    /// AES-256-SIV: equal values of a column look equal.
    case deterministic = 0xFA
    /// C2SP chunked encryption, for what is too large to be sealed in one piece.
    case chunked = 0xFB

    /// Bytes of format and key version.
    static let prefixLength = 5

    /// Bytes that a cell has beyond the plaintext, without the tags of a stream's chunks.
    var overhead: Int {
        switch self {
        case .random: Self.prefixLength + XAES256GCM.nonceLength + XAES256GCM.tagLength
        case .deterministic: Self.prefixLength + AES256SIV.vectorLength
        case .chunked: Self.prefixLength + 24 + 32
        }
    }
}

/// What the first five bytes of a cell say.
struct CellPrefix: Sendable, Equatable {
    let format: CellFormat
    /// The field key's version.
    let keyVersion: UInt32

    init(_ format: CellFormat, keyVersion: UInt32) {
        self.format = format
        self.keyVersion = keyVersion
    }

    /// Reads the beginning of a column's bytes; nil if no cell begins so, or it is too short to be whole.
    init?(_ bytes: Span<UInt8>) {
        guard bytes.count >= CellFormat.prefixLength, let format = CellFormat(rawValue: bytes[0]),
            // At least the type tag is sealed.
            bytes.count > format.overhead
        else { return nil }
        var version: UInt32 = 0
        for index in 1..<CellFormat.prefixLength { version = version << 8 | UInt32(bytes[index]) }
        guard version != 0 else { return nil }
        self.init(format, keyVersion: version)
    }

    /// The five bytes.
    var bytes: [UInt8] { [format.rawValue] + keyVersion.bigEndianBytes }
}
