import ArgumentParser
import Testing

@testable import LockstepTool

@Suite("Limits of commands")
struct CommandLimitsTests {
    /// Commands that evaluate nothing of a database or of a migration: they work on keys, or write a file.
    private static let without: Set<String> = [
        "new", "keys init", "keys create-key-file", "keys generate-identity", "keys export-recipient", "keys list",
        "keys check", "keys sign", "keys create-key", "keys activate-key", "keys mark-compromised", "keys add-slot",
        "keys remove-slot", "keys change-passphrase", "keys rotate-ring",
    ]

    @Test("Every command that evaluates what a file or folder says has limits of time and memory")
    func all() {
        func look(_ types: [any ParsableCommand.Type], after words: String) {
            for type in types {
                let name = words + type._commandName
                let inner = type.configuration.subcommands
                guard inner.isEmpty else {
                    look(inner, after: name + " ")
                    continue
                }
                let help = LockstepCommand.helpMessage(for: type)
                let has = ["--timeout", "--max-memory"].map { help.contains($0) }
                #expect(has == (Self.without.contains(name) ? [false, false] : [true, true]), "\(name)")
            }
        }
        look(LockstepCommand.configuration.subcommands, after: "")
    }
}
