import ArgumentParser

/// `lockstep keys`: what concerns keyrings and keys.
struct Keys: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Make and list keyrings, change what opens them and their keys, sign and check them.",
        subcommands: [
            List.self, Init.self, AddSlot.self, RemoveSlot.self, ChangePassphrase.self,
            RotateDatabase.self, RotateRing.self, CreateKey.self, ActivateKey.self,
            MarkCompromised.self, DestroyKey.self, AcceptDatabase.self, Sign.self, Check.self,
            CreateKeyFile.self,
            GenerateIdentity.self, ExportRecipient.self, ExportRaw.self,
        ])
}
