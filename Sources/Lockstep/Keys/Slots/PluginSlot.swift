/// A slot that an age plugin opens (C2SP, age-plugin.md).
///
///     -> plugin <slot> <plugin> <salt:16> <body | -> <type> [<argument> ...]
///
/// A plugin's name is 1 to 64 of [a-z0-9+._-] and does not begin with a dot. After the salt comes the one stanza that
/// the plugin returned for the slot: its body of at most 4096 bytes, or - for an empty one, its type and its arguments,
/// each of characters 0x21 to 0x7E. The header line is at most 8192 bytes long. The keyring names the plugin that made
/// the slot, but never causes it to run: the reader names the plugin.
///
/// The slot secret is the 16-byte file key that the plugin wrapped in the stanza, made only for this slot.
struct PluginSlot: SlotKind {
    static let type = "plugin"
    static let fieldCount = 4...Int.max

    let plugin: PluginName
    let salt: [UInt8]
    let stanza: PluginStanza

    var fields: [String] { [plugin.description, Base64.encode(salt), stanza.fields] }
    var description: SlotDescription.Kind { .plugin(plugin, stanza: stanza) }
    var opensWith: String { "the age plugin \(plugin)" }
    var requirement: LockstepError.Advice {
        "the plugin \(plugin) (\(.plugin("\(plugin)")))"
    }

    func wrap(
        _ credential: borrowing Credential, _ info: [UInt8]
    ) throws(LockstepError) -> SlotWrap? {
        guard (credential.opener as? Opener)?.plugin == plugin,
            credential.secret.count == Plugin.fileKeyLength
        else { return nil }
        return try SlotWrap(credential.secret, salt, info)
    }

    struct Opener: SlotOpener {
        let plugin: PluginName

        var name: String { "plugin \(plugin)" }

        func newSlot(cost _: Scrypt.Cost) throws(LockstepError) -> any SlotKind {
            throw LockstepError(
                .misuse, "a slot must be made for a plugin's recipient, not for a file key from the plugin",
                hint: "give the plugin's recipient, age1NAME1…")
        }
    }
}

extension PluginSlot {
    init(_ header: SlotHeader) throws(LockstepError) {
        let (fields, text) = (header.fields, header.text)
        guard header.line.utf8.count <= PluginStanza.longestHeader else {
            throw text.bad("a plugin slot's header is longer than \(PluginStanza.longestHeader) bytes")
        }
        guard let name = PluginName(exactly: fields[0]) else {
            throw text.bad("a plugin's name is \(PluginName.rule)")
        }
        let body = fields[2] == "-" ? [] : try text.base64(fields[2], nil, "a stanza's body")
        guard let stanza = PluginStanza(type: String(fields[3]), arguments: fields[4...].map(String.init), body: body)
        else {
            throw text.bad("a stanza's body is longer than \(PluginStanza.longestBody) bytes")
        }
        self.init(plugin: name, salt: try header.salt(1), stanza: stanza)
    }
}

extension KeyringSlot {
    /// Makes a slot from the stanza that a plugin returned for `fileKey`, a key made only for this slot.
    /// - Throws: ``LockstepError/Code/commandFailed`` for a stanza that is too long for the format.
    init(
        name: String, _ plugin: PluginName, _ stanza: PluginStanza, fileKey: borrowing SecretBytes,
        ringKey: borrowing SecretBytes, ringID: [UInt8]
    ) throws(LockstepError) {
        try Self.requireName(name)
        let kind = PluginSlot(plugin: plugin, salt: try SlotHeader.newSalt(), stanza: stanza)
        let header = kind.header(name)
        guard header.utf8.count <= PluginStanza.longestHeader else {
            throw LockstepError(
                .commandFailed,
                "the plugin \(plugin) returned a stanza of \(stanza.fields.utf8.count) characters, "
                    + "too long for a keyring",
                hint: "use another kind of recipient; a slot's header can have at most "
                    + "\(PluginStanza.longestHeader) characters")
        }
        let credential = Credential.plugin(plugin, fileKey: try fileKey.clone())
        try self.init(name, kind, kind.wrap(credential, Self.info(header, ringID)), ringKey)
    }
}

extension Credential {
    /// The file key that a plugin returned for one slot.
    /// - Parameter fileKey: Empty if the plugin returned none: then the credential opens nothing, and errors name the
    ///   plugin as tried.
    static func plugin(_ name: PluginName, fileKey: consuming SecretBytes) -> Credential {
        Credential(PluginSlot.Opener(plugin: name), fileKey)
    }
}

extension Plugin {
    /// Lets the plugin open a slot. Runs its program once.
    /// - Returns: The credential to try on the slot; nil if the slot does not belong to this plugin. If the plugin does
    ///   not recognize the slot's stanza, that is not an error; the returned credential then opens nothing.
    /// - Throws: ``LockstepError/Code/commandFailed`` if it cannot be run, reports an error, violates the protocol,
    ///   takes too long or prints too much; any error that ``interaction`` throws.
    public func credential(
        for slot: SlotDescription, with identities: borrowing PluginIdentities
    ) throws -> Credential? {
        // exact: names of plugins
        guard case .plugin(name, let stanza) = slot.kind, identities.plugin == name else {
            return nil
        }
        if let fileKey = try unwrap(stanza, with: identities) {
            return .plugin(name, fileKey: fileKey)
        }
        return .plugin(name, fileKey: try SecretBytes(zeroed: 0))
    }
}
