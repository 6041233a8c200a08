/// What a plugin makes of a file key: a stanza of age's header (C2SP, age.md). It is not a secret.
public struct PluginStanza: Sendable, Hashable {
    /// How long its body may be, in bytes.
    static let longestBody = 4096
    /// How long the header line of a slot that holds it may be, in bytes.
    static let longestHeader = 8192

    /// Its first argument, which plugins know their own stanzas by.
    public let type: String
    /// Its other arguments.
    public let arguments: [String]
    /// Its body.
    public let body: [UInt8]

    /// Nil unless the type and each argument are printable ASCII without spaces, and the body is at most 4096
    /// bytes long.
    init?(type: String, arguments: [String], body: [UInt8]) {
        guard ([type] + arguments).allSatisfy(Self.isArgument), body.count <= Self.longestBody
        else { return nil }
        self.type = type
        self.arguments = arguments
        self.body = body
    }

    /// As it stands in a slot's header.
    var fields: String {
        ([body.isEmpty ? "-" : Base64.encode(body), type] + arguments).joined(separator: " ")
    }

    static func isArgument(_ text: String) -> Bool {
        !text.utf8.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
