import ArgumentParser
import Lockstep

extension Keys {
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
            var kept: [(slot: SlotDescription, keyFile: Int)] = []
            for slot in slots {
                guard let number = try Self.keyFile(of: slot, source, keyring) else { continue }
                kept.append((slot, number))
            }
            try keyring.rotateRing()
            var names: Set<String> = []  // exact: names of slots
            for text in recipient {
                let named = try NamedRecipient(text)
                try keyring.addSlot(
                    named.name, for: named.recipient, plugin: { try access.credentials.plugins.find($0) })
                names.insert(named.name)
            }
            for (slot, number) in kept where names.insert(slot.name).inserted {
                try Self.keep(slot, number, source, &keyring)
            }
            let dropped = slots.map(\.name).filter { !names.contains($0) }
            guard dropped.isEmpty || dropOthers else {
                throw ValidationError(
                    "these slots would be dropped: \(dropped.joined(separator: ", ")); give their "
                        + "credentials\(Self.hint(dropped, slots)), or confirm with --drop-others")
            }
            try file.save(&keyring)
            try source.replaced(keyring)
            Output.line("\(file.path) has a new ring key and \(counted(names.count, "slot"))")
            access.remember(&keyring, file, source)
        }

        /// The credential of a plugin's slot does not contain the slot's recipient.
        private static func hint(_ dropped: [String], _ slots: [SlotDescription]) -> String {
            let first = slots.first { slot in
                if case .plugin = slot.kind { dropped.contains(slot.name) } else { false }
            }
            return first.map { ", name a plugin's recipient with --recipient \($0.name)=age1…" } ?? ""
        }

        /// Which of the key files opens the slot, 0 for another credential that does; nil if none does. Another person's slot
        /// of the same kind is not kept: it would be made again for the credential given here.
        private static func keyFile(
            of slot: SlotDescription, _ source: CredentialSource, _ keyring: borrowing Keyring
        ) throws -> Int? {
            for number in 0..<max(source.keyFiles.count, 1) {
                guard let credential = try source.credential(for: slot, of: nil, keyFile: number) else { return nil }
                if try keyring.opens(slot.name, with: credential) { return number }
            }
            return nil
        }

        private static func keep(
            _ slot: SlotDescription, _ number: Int, _ source: CredentialSource, _ keyring: inout Keyring
        ) throws {
            guard let credential = try source.credential(for: slot, of: nil, keyFile: number) else { return }
            if let recipient = credential.recipient {
                try keyring.addSlot(slot.name, for: recipient)
            } else {
                try keyring.addSlot(slot.name, credential, cost: .calibrated())
            }
        }
    }
}
