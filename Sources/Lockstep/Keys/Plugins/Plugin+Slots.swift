/// The two state machines, each with one recipient or slot and so one file key, whose index is 0.
///
/// A slot contains exactly one stanza. The protocol lets a plugin return several stanzas for a recipient, for a file
/// that can be opened in several ways. Here each way is a separate slot, which can be listed and removed individually.
/// Labels (`extension-labels`) are not requested: they specify which stanzas a plugin allows together in one file, and
/// the slots of a keyring are independent of each other.
extension Plugin {
    /// Lets the plugin seal a file key for a recipient. Runs its program once.
    /// - Throws: ``LockstepError/Code/commandFailed``; any error that ``interaction`` throws.
    func wrap(
        _ fileKey: borrowing SecretBytes, for recipient: PluginRecipient
    ) throws -> PluginStanza {
        let connection = try PluginConnection(self, "recipient-v1")
        try connection.send("add-recipient \(recipient)")
        try connection.send("wrap-file-key", body: fileKey.bytes)
        try connection.send("done")
        var stanza: PluginStanza?
        let reports = try converse(connection) { command in
            guard command.type == "recipient-stanza" else { return false }
            guard stanza == nil else {
                throw failed(
                    "returned several stanzas for one recipient, but a slot holds only one",
                    hint: "make a separate slot for each recipient that this one represents")
            }
            stanza = try Self.stanza(command, connection)
            return true
        }
        connection.finish()
        guard reports.isEmpty else { throw reported(reports) }
        guard let stanza else { throw connection.malformed("no stanza for the recipient") }
        return stanza
    }

    private static func stanza(
        _ command: borrowing PluginCommand, _ connection: PluginConnection
    ) throws -> PluginStanza {
        guard command.arguments.count >= 2, command.arguments[0] == "0",
            let stanza = PluginStanza(
                type: command.arguments[1], arguments: Array(command.arguments.dropFirst(2)),
                body: command.body.publicCopy())
        else { throw connection.malformed("a stanza that is not for file key 0") }
        return stanza
    }

    /// Lets the plugin open a stanza; nil if none of the identities matches it.
    func unwrap(
        _ stanza: PluginStanza, with identities: borrowing PluginIdentities
    ) throws -> SecretBytes? {
        let connection = try PluginConnection(self, "identity-v1")
        for index in 0..<identities.count {
            try connection.send("add-identity", secret: identities[index])
        }
        let words = ["recipient-stanza", "0", stanza.type] + stanza.arguments
        try connection.send(words.joined(separator: " "), body: stanza.body.span)
        try connection.send("done")
        var fileKey: SecretBytes?
        let reports = try converse(connection) { command in
            guard command.type == "file-key" else { return false }
            guard command.arguments == ["0"], fileKey == nil, command.body.count == Self.fileKeyLength else {
                throw connection.malformed(
                    "a file key that is not for file 0, is not the first or does not have "
                        + "\(Self.fileKeyLength) bytes")
            }
            fileKey = try command.body.clone()
            return true
        }
        connection.finish()
        if fileKey == nil, !reports.isEmpty { throw reported(reports) }
        return fileKey
    }
}
