/// A recipient of an age plugin, `age1NAME1…`. It is not a secret; only the plugin knows what it means.
public struct PluginRecipient: Sendable, Hashable, CustomStringConvertible {
    /// Longer than any known recipient; those with post-quantum keys have about 2000 characters.
    private static let longest = 4096
    /// age's own recipient types with these prefixes do not name a plugin: age itself or a plugin with another name
    /// opens data sealed for them.
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
                .recipientMalformed, "not a valid plugin recipient: expected age1NAME1 and Bech32 in lower case",
                hint: "copy it again from the plugin's output")
        }
        guard !Self.ownTypes.contains(plugin.description) else {
            throw LockstepError(
                .recipientMalformed,
                "age1\(plugin)1… is a recipient type of age itself that Lockstep does not seal for",
                hint: "give a recipient that names its plugin, age1NAME1…, or an age-keygen one")
        }
        self.plugin = plugin
        description = text
    }

    /// Whether `text` begins like a plugin's recipient, valid or not.
    public static func begins(_ text: String) -> Bool { Recipient.pluginPrefix(of: text) != nil }
}
