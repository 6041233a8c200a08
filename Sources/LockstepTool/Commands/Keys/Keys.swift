import ArgumentParser

/// `lockstep keys`: commands for keyrings and keys.
struct Keys: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Make and list keyrings, change their slots and keys, sign and check them.",
        subcommands: [
            List.self, Init.self, AddSlot.self, RemoveSlot.self, ChangePassphrase.self, Fork.self,
            Move.self, RotateDatabase.self, RotateRing.self, CreateKey.self, ActivateKey.self,
            MarkCompromised.self, DestroyKey.self, AcceptDatabase.self, Sign.self, Check.self,
            CreateKeyFile.self, GenerateIdentity.self, ExportRecipient.self, ExportRaw.self,
        ])
}
