/// One stanza that a plugin has sent: a command with its metadata and data.
struct PluginCommand: ~Copyable {
    let type: String
    let arguments: [String]
    /// Perhaps a file key, so it is never in ordinary memory unless ``text`` is asked for.
    let body: SecretBytes

    /// The body as text for people; what is not UTF-8 in it is replaced.
    var text: String { String(decoding: body.publicCopy(), as: UTF8.self) }
}
