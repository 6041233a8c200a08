internal import Lockstep

/// The kind of content, by its first bytes: the same rules as those of the migration `0002_content.sql`.
public enum MediaType {
    /// Content that is not a known kind of image.
    public static let unknown = "application/octet-stream"

    /// How many first bytes decide.
    static let decisive = 12

    /// The media type of content with this beginning.
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
