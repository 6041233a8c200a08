import ArgumentParser
import Lockstep
import SystemPackage

extension Keys {
    /// `lockstep keys init`: makes a fields keyring.
    struct Init: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make the fields keyring of a dataset.",
            discussion: """
                `lockstep init` and `lockstep adopt` make a database's keyring together with the database. \
                Without an option, the command prompts for a passphrase.
                """)

        @OptionGroup var keyrings: KeyringOptions
        @OptionGroup var waiting: WaitOptions
        @OptionGroup var slot: NewSlotOptions
        @OptionGroup var plugins: PluginOptions

        @Option(help: "The same as --new-key-file, as `lockstep init` calls it.")
        var keyFile: String?

        @Option(help: "The dataset's name.")
        var dataset: String

        @Option(
            name: [.short, .long],
            help: ArgumentHelp(
                "The database that gets the sealed columns: the keyring is made beside it. (default: the variable LOCKSTEP_DATABASE)",
                valueName: "database"))
        var database: String?

        @Option(help: "The slot's name.")
        var slotName = "owner"

        func validate() throws {
            guard keyFile == nil || !slot.isGiven else {
                throw ValidationError("a slot opens with one credential: add the others one by one")
            }
        }

        func run() throws {
            let file = try keyrings.newFields(
                of: dataset, for: (database ?? Environment.text("LOCKSTEP_DATABASE")).map { FilePath($0) })
            var keyring = try Keyring.create(.fields)
            if let keyFile {
                try NewKeyFileOption.addSlot(slotName, with: keyFile, to: &keyring)
            } else {
                try slot.addSlot(slotName, to: &keyring, NewCredential(), plugins)
            }
            try file.create(keyring)
            Output.line("made the keyring \(file.path), \(keyring.ring)")
            Output.line("its publisher: \(try keyring.publisher())")
        }
    }
}
