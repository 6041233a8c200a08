/// A file key wrapped by a plugin: a stanza of an age header (C2SP, age.md). It is not a secret.
public struct PluginStanza: Sendable, Hashable {
    /// The maximum length of its body, in bytes.
    static let longestBody = 4096
    /// The maximum length of the header line of its slot, in bytes.
    static let longestHeader = 8192

    /// Its first argument, by which plugins recognize their own stanzas.
    public let type: String
    /// Its other arguments.
    public let arguments: [String]
    /// Its body.
    public let body: [UInt8]

    /// Nil unless the type and each argument are printable ASCII without spaces, and the body is at most 4096
    /// bytes long.
    init?(type: String, arguments: [String], body: [UInt8]) {
        guard ([type] + arguments).allSatisfy(Self.isArgument), body.count <= Self.longestBody else { return nil }
        self.type = type
        self.arguments = arguments
        self.body = body
    }

    /// Its text in a slot's header.
    var fields: String {
        ([body.isEmpty ? "-" : Base64.encode(body), type] + arguments).joined(separator: " ")
    }

    static func isArgument(_ text: String) -> Bool {
        !text.utf8.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}

/// A stanza that a plugin sent: a command with its arguments and data.
struct PluginCommand: ~Copyable {
    let type: String
    let arguments: [String]
    /// Possibly a file key, so it is copied to ordinary memory only when ``text`` is read.
    let body: SecretBytes

    /// The body as text for the user, with invalid UTF-8 replaced.
    var text: String { String(decoding: body.publicCopy(), as: UTF8.self) }
}
