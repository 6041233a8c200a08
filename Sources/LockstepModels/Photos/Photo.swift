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

/// What content is, by its first bytes: the same rules as those of the migration `0002_content.sql`.
public enum MediaType {
    /// What is none of the images that are known.
    public static let unknown = "application/octet-stream"

    /// Of so many bytes the first ones tell.
    static let decisive = 12

    /// The media type of what begins so.
    public static func of(_ beginning: some Collection<UInt8>) -> String {
        let bytes = Array(beginning.prefix(decisive))
        func has(_ expected: [UInt8], at start: Int = 0) -> Bool {
            bytes.dropFirst(start).starts(with: expected)
        }
        if has([0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
        if has([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "image/png" }
        if has(Array("GIF8".utf8)) { return "image/gif" }
        if has(Array("RIFF".utf8)), has(Array("WEBP".utf8), at: 8) { return "image/webp" }
        if has(Array("ftypheic".utf8), at: 4) { return "image/heic" }
        return unknown
    }
}

/// What is taken for a photo.
public struct PhotoRules: Sendable, Hashable {
    /// Whether content that is no image is taken too: any bytes, or none.
    public var allowsAnyContent = false
    /// Whether content that is there already, under any name, is refused.
    public var refusesKnownContent = false

    /// Images only, as many times as they come.
    public init() {}

    /// With what is said of content.
    public init(allowsAnyContent: Bool = false, refusesKnownContent: Bool = false) {
        self.allowsAnyContent = allowsAnyContent
        self.refusesKnownContent = refusesKnownContent
    }
}
