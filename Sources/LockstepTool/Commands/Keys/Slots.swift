import ArgumentParser
import Lockstep

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
        @OptionGroup var slot: NewSlotOptions
        @OptionGroup var plugins: PluginOptions

        @Option(help: "The dataset's name.")
        var dataset: String

        @Option(help: "The slot's name.")
        var slotName = "owner"

        func run() throws {
            let file = try KeyringFile.fields(of: dataset, in: keyrings.folder)
            var keyring = try Keyring.create(.fields)
            try slot.addSlot(slotName, to: &keyring, plugins)
            try file.create(keyring)
            Output.line("made the keyring \(file.path)")
            Output.line("its publisher: \(try keyring.publisher())")
        }
    }

    /// `lockstep keys add-slot`: adds a slot.
    struct AddSlot: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add a way to open a keyring.",
            discussion: "Without an option, the command prompts for a new passphrase twice.")

        @OptionGroup var access: KeyringAccess
        @OptionGroup var slot: NewSlotOptions

        @Argument(help: "The slot's name: 1 to 32 of a-z, 0-9 and -.")
        var name: String

        func run() throws {
            try access.change { keyring, file in
                try slot.addSlot(name, to: &keyring, access.credentials.age.plugins)
                return "added the slot \(name) to \(file.path)"
            }
        }
    }

    /// `lockstep keys remove-slot`: removes a slot.
    struct RemoveSlot: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove a way to open a keyring.",
            discussion: """
                Anyone who has the old file or knew the ring key still has its keys: rotate the ring with \
                `lockstep keys rotate-ring`, and the keys if others possibly know them.
                """)

        @OptionGroup var access: KeyringAccess

        @Argument(help: "The slot's name.")
        var name: String

        func run() throws {
            try access.change { keyring, file in
                try keyring.removeSlot(name)
                return "removed the slot \(name) from \(file.path)"
            }
        }
    }

    /// `lockstep keys change-passphrase`: changes the passphrase of a slot.
    struct ChangePassphrase: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Change the passphrase of a slot.",
            discussion:
                "Prompts for the new passphrase twice, unless it comes from a descriptor.")

        @OptionGroup var access: KeyringAccess

        @Option(help: "An open file descriptor from which to read the new passphrase.")
        var newPassphraseFd: Int32?

        @Option(help: "The slot's name, if several slots have a passphrase.")
        var slot: String?

        func run() throws {
            try access.change { keyring, file in
                let name = try slotName(keyring.summary)
                try keyring.changeSlot(
                    name, to: .passphrase(.new(from: newPassphraseFd)), cost: .calibrated())
                return "changed the passphrase of the slot \(name) of \(file.path)"
            }
        }

        private func slotName(_ summary: KeyringSummary) throws -> String {
            let names = summary.slots.filter { slot in
                if case .passphrase = slot.kind {
                    slot.name == self.slot ?? slot.name
                } else {
                    false
                }
            }.map(\.name)
            guard names.count == 1, let name = names.first else {
                throw ValidationError(
                    names.isEmpty
                        ? "the keyring has no such slot with a passphrase"
                        : "name the slot with --slot: \(names.joined(separator: ", "))")
            }
            return name
        }
    }

    /// `lockstep keys rotate-ring`: makes a new ring key.
    struct RotateRing: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Give a keyring a new ring key, and keep only the slots that you name.",
            discussion: """
                Keeps the slots whose passphrase, key file, variable, command or identity is given, and the slots \
                for the named recipients. A plugin's slot is made again for its recipient, which must be named. The \
                keys and the data that they encrypted do not change.
                """)

        @OptionGroup var access: KeyringAccess

        @Option(
            help:
                "A slot for the recipient of an identity or plugin, as NAME=age1…. Can be repeated."
        )
        var recipient: [String] = []

        @Flag(help: "Confirm that all other slots are dropped.")
        var dropOthers = false

        func run() throws {
            let file = try access.file()
            let source = CredentialSource(access.credentials)
            var keyring = try source.open(file)
            let slots = keyring.summary.slots
            var kept: [SlotDescription] = []
            for slot in slots where try Self.fits(slot, source, keyring) { kept.append(slot) }
            try keyring.rotateRing()
            var names: Set<String> = []
            for text in recipient {
                let named = try NamedRecipient(text)
                try keyring.addSlot(
                    named.name, for: named.recipient,
                    plugin: { try access.credentials.age.plugins.find($0) })
                names.insert(named.name)
            }
            for slot in kept where names.insert(slot.name).inserted {
                try Self.keep(slot, source, &keyring)
            }
            let dropped = slots.map(\.name).filter { !names.contains($0) }
            guard dropped.isEmpty || dropOthers else {
                throw ValidationError(
                    "these slots would be dropped: \(dropped.joined(separator: ", ")); give their "
                        + "credentials\(Self.hint(dropped, slots)), or confirm with --drop-others")
            }
            try file.save(&keyring)
            Output.line("\(file.path) has a new ring key and \(counted(names.count, "slot"))")
            access.remember(keyring)
        }

        /// The credential of a plugin's slot does not contain the slot's recipient.
        private static func hint(_ dropped: [String], _ slots: [SlotDescription]) -> String {
            let first = slots.first { slot in
                if case .plugin = slot.kind { dropped.contains(slot.name) } else { false }
            }
            return first.map { ", name a plugin's recipient with --recipient \($0.name)=age1…" }
                ?? ""
        }

        /// Whether the given credential opens the slot. Another person's slot of the same kind is not kept: it would be
        /// made again for the credential given here.
        private static func fits(
            _ slot: SlotDescription, _ source: CredentialSource, _ keyring: borrowing Keyring
        ) throws -> Bool {
            guard let credential = try source.credential(for: slot, of: nil) else { return false }
            return try keyring.opens(slot.name, with: credential)
        }

        private static func keep(
            _ slot: SlotDescription, _ source: CredentialSource, _ keyring: inout Keyring
        ) throws {
            guard let credential = try source.credential(for: slot, of: nil) else { return }
            if let recipient = credential.recipient {
                try keyring.addSlot(slot.name, for: recipient)
            } else {
                try keyring.addSlot(slot.name, credential, cost: .calibrated())
            }
        }
    }
}
