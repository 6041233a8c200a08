import ArgumentParser
import Lockstep

/// The values of variables, which slots name: there is no option for them.
final class EnvironmentCredentials: CredentialKind {
    func credential(for slot: SlotDescription, of _: KeyringFile?) throws -> Credential? {
        guard case .environment(let variable) = slot.kind else { return nil }
        return try credential(variable)
    }

    /// The variable's value, or nil if it is not set.
    func credential(_ variable: String) throws -> Credential? {
        guard let secret = try Environment.takeSecret(variable) else { return nil }
        return try .environment(variable: variable, secret)
    }
}

/// The option for a new slot with an environment variable.
struct NewVariableOption: NewSlotOption {
    @Option(help: "Open the slot with this environment variable's value. Discouraged.")
    var newEnv: String?

    var isGiven: Bool { newEnv != nil }

    func addSlot(_ name: String, to keyring: inout Keyring, _ credential: NewCredential, _: PluginOptions) throws {
        guard let newEnv else { return }
        try credential.use({
            guard let secret = try Environment.takeSecret(newEnv) else { throw Environment.notSet(newEnv) }
            return try .environment(variable: newEnv, secret)
        }) { try keyring.addSlot(name, $0) }
    }
}
