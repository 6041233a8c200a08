internal import Lockstep

/// A photo's details, without its content.
public struct Photo: Sendable, Hashable, Identifiable {
    /// The row's key.
    public let id: Int64
    /// Its name; several photos can have the same name.
    public let name: String
    /// Its kind according to its first bytes, such as `image/jpeg`; see ``MediaType``.
    public let mediaType: String
    /// The size of its content in bytes.
    public let byteCount: Int
    /// The SHA-256 of its content, 32 bytes: photos with equal content have the same.
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
