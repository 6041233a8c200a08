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
// What follows the prefix of 0xFB is one message of C2SP's chunked encryption, with SHA-512 and AES-256-GCM: the
// plaintext, its type tag first, cut into chunks of 16 KiB of which the last one is shorter and may be empty. Byte i
// of the payload is byte (i + 1) mod 16,384 of chunk (i + 1) div 16,384: the tag is where all cells have it, is
// authenticated with what it belongs to, and may have the flag of padding. The associated data is the message's
// context, which the key of its chunks comes from: a chunk opens under its number in its own cell only. That nothing is
// missing at the end is known once the last chunk has opened, which its length tells from the others.
//
// Sealed in one piece, a value becomes 0xFB if it is a BLOB whose plaintext is longer than 1 MiB and a byte. Written as
// a stream it becomes 0xFB whatever its length: its bytes are never in memory all together.
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
    /// The longest plaintext of a BLOB that is sealed in one piece: 1 MiB and its type tag.
    static let longestPiece = 1 << 20 + 1
    /// The longest payload of chunks that SQL is given: it takes three times as much memory.
    static let longestForSQL = 16 << 20

    /// Bytes before the ciphertext.
    var headerLength: Int {
        switch self {
        case .random: Self.prefixLength + XAES256GCM.nonceLength
        case .deterministic: Self.prefixLength + AES256SIV.vectorLength
        case .chunked: Self.prefixLength + ChunkedLayout.headerLength
        }
    }

    /// Bytes that a cell has beyond the plaintext, without the tags of a stream's chunks.
    var overhead: Int {
        self == .random ? headerLength + XAES256GCM.tagLength : headerLength
    }

    /// How long the cell of a plaintext is.
    func cellLength(_ plaintext: Int) throws(LockstepError) -> Int {
        guard self == .chunked else { return overhead + plaintext }
        return try Self.prefixLength + ChunkedLayout(plaintextLength: plaintext).encryptedLength
    }

    /// How long the plaintext of a cell is; nil for a length that no cell has.
    func plaintextLength(_ cell: Int) -> Int? {
        guard self == .chunked else { return cell >= overhead ? cell - overhead : nil }
        return ChunkedLayout(encryptedLength: cell - Self.prefixLength)?.plaintextLength
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
    /// - Parameter length: How many bytes there are in all, if these are not.
    init?(_ bytes: Span<UInt8>, length: Int? = nil) {
        guard bytes.count >= CellFormat.prefixLength, let format = CellFormat(rawValue: bytes[0]),
            // At least the type tag is sealed.
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
