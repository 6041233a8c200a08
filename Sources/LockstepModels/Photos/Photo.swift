internal import Lockstep

/// What is known of a photo, without its content.
public struct Photo: Sendable, Hashable, Identifiable {
    /// The row's key.
    public let id: Int64
    /// What it is called; several may be called the same.
    public let name: String
    /// What its first bytes say that it is, such as `image/jpeg`; see ``MediaType``.
    public let mediaType: String
    /// The size of its content in bytes.
    public let byteCount: Int
    /// The SHA-256 of its content, 32 bytes: photos of equal content have the same.
    public let sha256: [UInt8]

    /// Reads a row of ``columns``.
    init(row: borrowing Row) throws {
        id = try row[0]
        name = try row[1]
        mediaType = try row[2]
        byteCount = try row[3]
        sha256 = try row[4]
    }

    static let columns: SQL = "id, name, mediaType, byteCount, sha256"
}
