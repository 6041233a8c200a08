extension Plugin {
    /// Lets the plugin open a slot. Runs its program once.
    /// - Returns: The credential to try on the slot; nil if the slot does not belong to this plugin. If the plugin does
    ///   not recognize the slot's stanza, that is not an error; the returned credential then opens nothing.
    /// - Throws: ``LockstepError/Code/commandFailed`` if it cannot be run, reports an error, violates the protocol,
    ///   takes too long or prints too much; any error that ``interaction`` throws.
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
