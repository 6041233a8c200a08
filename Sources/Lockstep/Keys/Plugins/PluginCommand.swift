/// A stanza that a plugin sent: a command with its arguments and data.
struct PluginCommand: ~Copyable {
    let type: String
    let arguments: [String]
    /// Possibly a file key, so it is copied to ordinary memory only when ``text`` is read.
    let body: SecretBytes

    /// The body as text for the user, with invalid UTF-8 replaced.
    var text: String { String(decoding: body.publicCopy(), as: UTF8.self) }
}
