import ArgumentParser
import FoundationEssentials
import Lockstep

/// The option for commands.
struct CommandOptions: CredentialKindOptions {
    @Option(
        help: """
            A program that prints the secret of a command slot: its absolute path, or a JSON array of path and \
            arguments. It runs without a shell.
            """)
    var keyCommand: String?

    var isGiven: Bool { keyCommand != nil }
}

/// The output of the command, which runs once for all slots and keyrings.
final class CommandCredentials: CredentialKind {
    private let command: String?
    private let output = CachedSecret()

    init(_ options: CommandOptions) { command = options.keyCommand }

    func credential(for slot: SlotDescription, of _: KeyringFile?) throws -> Credential? {
        guard slot.kind == .command, let command,
            let secret = try output.copy({ try KeyCommand(option: command).output() })
        else { return nil }
        return try .command(output: secret)
    }
}

/// The option for a new slot with a command.
struct NewCommandOption: NewSlotOption {
    @Option(
        help: """
            Open the slot with the output of a program: its absolute path, or a JSON array of path and \
            arguments.
            """)
    var newCommand: String?

    var isGiven: Bool { newCommand != nil }

    func addSlot(_ name: String, to keyring: inout Keyring, _ credential: NewCredential, _: PluginOptions) throws {
        guard let newCommand else { return }
        try credential.use({ try KeyCommand(option: newCommand).credential() }) { try keyring.addSlot(name, $0) }
    }
}

extension KeyCommand {
    /// A path, or a JSON array of a path and arguments.
    init(option text: String) throws {
        var arguments = [text]
        if text.begins(with: "[") {
            do {
                arguments = try JSONDecoder().decode([String].self, from: Data(text.utf8))
            } catch {
                throw ValidationError("expected the command's path, or a JSON array of strings")
            }
        }
        try self.init(arguments)
    }
}
