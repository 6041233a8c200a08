/// A recipient for whom a slot can be made: an X25519 key or a plugin recipient.
public enum SlotRecipient: Sendable, Hashable, CustomStringConvertible {
    /// `age1…`
    case identity(Recipient)
    /// `age1NAME1…`
    case plugin(PluginRecipient)

    /// Reads a recipient of either kind.
    /// - Throws: ``LockstepError/Code/recipientMalformed``.
    public init(_ text: String) throws(LockstepError) {
        self = PluginRecipient.begins(text) ? .plugin(try PluginRecipient(text)) : .identity(try Recipient(text))
    }

    /// The recipient as text.
    public var description: String {
        switch self {
        case .identity(let recipient): recipient.description
        case .plugin(let recipient): recipient.description
        }
    }
}
