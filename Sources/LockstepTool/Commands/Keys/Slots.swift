import ArgumentParser
import Lockstep

extension Keys {
    /// `lockstep keys init`
    struct Init: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make the fields keyring of a dataset.",
            discussion: """
                The keyring of a database is made together with it, by `lockstep init` or `lockstep \
                adopt`. Without an option the terminal is asked for a passphrase.
                """)

        @OptionGroup var keyrings: KeyringOptions
        @OptionGroup var slot: NewSlotOptions
        @OptionGroup var plugins: PluginOptions

        @Option(help: "The dataset's name.")
        var dataset: String

        @Option(help: "What to call the slot.")
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

    /// `lockstep keys add-slot`
    struct AddSlot: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add a way to open a keyring.",
            discussion: "Without an option the terminal is asked for a new passphrase, twice.")

        @OptionGroup var access: KeyringAccess
        @OptionGroup var slot: NewSlotOptions

        @Argument(help: "What to call the slot: 1 to 32 of a-z, 0-9 and -.")
        var name: String

        func run() throws {
            try access.change { keyring, file in
                try slot.addSlot(name, to: &keyring, access.credentials.plugins)
                return "added the slot \(name) to \(file.path)"
            }
        }
    }

    /// `lockstep keys remove-slot`
    struct RemoveSlot: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove a way to open a keyring.",
            discussion: """
                Who has the old file, or knew the ring key, still has what it held: rotate the ring with \
                `lockstep keys rotate-ring`, and the keys if they may be known.
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

    /// `lockstep keys change-passphrase`
    struct ChangePassphrase: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Change the passphrase of a slot.",
            discussion:
                "The terminal is asked for the new one, twice, unless a descriptor gives it.")

        @OptionGroup var access: KeyringAccess

        @Option(help: "The number of an open descriptor to read the new passphrase from.")
        var newPassphraseFd: Int32?

        @Option(help: "The slot's name, if several slots have a passphrase.")
        var slot: String?

        func run() throws {
            try access.change { keyring, file in
                let name = try slotName(keyring.summary)
                var new = NewSlotOptions()
                new.newPassphraseFd = newPassphraseFd
                try keyring.changeSlot(name, to: new.newPassphrase(), cost: .calibrated())
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

    /// `lockstep keys rotate-ring`
    struct RotateRing: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Give a keyring a new ring key, and shut out whoever is not named.",
            discussion: """
                Slots stay whose passphrase, key file, variable, command or identity is given, and those for \
                recipients that are named. A plugin's slot is made again for its recipient, which has to be named. \
                The keys and what they have encrypted stay as they are.
                """)

        @OptionGroup var access: KeyringAccess

        @Option(
            help:
                "A slot for a recipient, as NAME=age1…, or of a plugin. May be given several times."
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
                    plugin: { try access.credentials.plugins.find($0) })
                names.insert(named.name)
            }
            for slot in kept where names.insert(slot.name).inserted {
                try Self.keep(slot, source, &keyring)
            }
            let dropped = slots.map(\.name).filter { !names.contains($0) }
            guard dropped.isEmpty || dropOthers else {
                throw ValidationError(
                    "these slots would be dropped: \(dropped.joined(separator: ", ")); give what opens "
                        + "them\(Self.hint(dropped, slots)), or confirm with --drop-others")
            }
            try file.save(&keyring)
            Output.line("\(file.path) has a new ring key, and \(counted(names.count, "slot"))")
            access.remember(keyring)
        }

        /// What opens a plugin's slot does not say for whom it was sealed.
        private static func hint(_ dropped: [String], _ slots: [SlotDescription]) -> String {
            let first = slots.first { slot in
                if case .plugin = slot.kind { dropped.contains(slot.name) } else { false }
            }
            return first.map { ", name a plugin's recipient with --recipient \($0.name)=age1…" }
                ?? ""
        }

        /// Another's slot of the same kind is not kept: it would open with what was given here.
        private static func fits(
            _ slot: SlotDescription, _ source: CredentialSource, _ keyring: borrowing Keyring
        ) throws -> Bool {
            guard let credential = try source.known(for: slot) else { return false }
            return try keyring.opens(slot.name, with: credential)
        }

        private static func keep(
            _ slot: SlotDescription, _ source: CredentialSource, _ keyring: inout Keyring
        ) throws {
            guard let credential = try source.known(for: slot) else { return }
            if let recipient = credential.recipient {
                try keyring.addSlot(slot.name, for: recipient)
            } else {
                try keyring.addSlot(slot.name, credential, cost: .calibrated())
            }
        }
    }
}
