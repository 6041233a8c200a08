extension Plugin {
    /// Has the plugin open a slot, which costs one run of its program.
    /// - Returns: What to try on the slot: nil if the slot is not one of this plugin. A plugin that does not know the
    ///   slot's stanza is no error; then what is returned opens nothing.
    /// - Throws: ``LockstepError/Code/commandFailed`` if it cannot be run, reports an error, breaks the protocol, takes
    ///   too long or prints too much; what ``interaction`` throws.
    public func credential(
        for slot: SlotDescription, with identities: borrowing PluginIdentities
    ) throws -> Credential? {
        guard case .plugin(name, let stanza) = slot.kind, identities.plugin == name else {
            return nil
        }
        if let fileKey = try unwrap(stanza, with: identities) {
            return .plugin(name, fileKey: fileKey)
        }
        return .plugin(name, fileKey: try SecretBytes(zeroed: 0))
    }
}
