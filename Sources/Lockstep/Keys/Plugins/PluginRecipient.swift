/// A recipient of an age plugin, `age1NAME1…`. It is not a secret; only the plugin knows what it means.
public struct PluginRecipient: Sendable, Hashable, CustomStringConvertible {
    /// Longer than any that is known: those with post-quantum keys have some 2000 characters.
    private static let longest = 4096
    /// age's own recipients of these prefixes are not for a plugin of that name: another plugin's identity, or
    /// age itself, opens what is sealed for them.
    private static let ownTypes: Set<String> = ["pq", "tag", "tagpq"]

    /// The plugin that seals for it.
    public let plugin: PluginName
    /// The recipient as text.
    public let description: String

    /// Reads a recipient.
    /// - Throws: ``LockstepError/Code/recipientMalformed``.
    public init(_ text: String) throws(LockstepError) {
        guard let name = Recipient.pluginPrefix(of: text), let plugin = PluginName(exactly: name),
            try Bech32.decode(
                Array(text.utf8).span, prefix: "age1\(name)", longest: Self.longest) != nil
        else {
            throw LockstepError(
                .recipientMalformed,
                "that is not a plugin's recipient: expected age1NAME1 and Bech32 in lower case",
                hint: "copy it again from what the plugin printed")
        }
        guard !Self.ownTypes.contains(plugin.description) else {
            throw LockstepError(
                .recipientMalformed,
                "age1\(plugin)1… is a recipient type of age itself that Lockstep does not seal for",
                hint: "give the recipient that names the plugin, age1NAME1…, or one of age-keygen")
        }
        self.plugin = plugin
        description = text
    }

    /// Whether `text` has the beginning of a plugin's recipient, sound or not.
    public static func begins(_ text: String) -> Bool { Recipient.pluginPrefix(of: text) != nil }
}
