import ArgumentParser
import Lockstep
import SystemPackage

/// Which keyring, and what opens it.
struct KeyringAccess: ParsableArguments {
    @OptionGroup var keyrings: KeyringOptions
    @OptionGroup var credentials: CredentialOptions

    @Option(name: [.short, .long], help: "The keyring of this database.")
    var database: String?

    @Option(help: "The fields keyring of this dataset.")
    var dataset: String?

    func validate() throws {
        let named = [keyrings.keyring, database, dataset].count { $0 != nil }
        guard named == 1 else {
            throw ValidationError("name one keyring: with --keyring, --database or --dataset")
        }
    }

    func file() throws -> KeyringFile {
        if let dataset { return try KeyringFile.fields(of: dataset, in: keyrings.folder) }
        return keyrings.file(for: FilePath(database ?? ""))
    }
}

/// What shall open a slot that is being made.
struct NewSlotOptions: ParsableArguments {
    @Option(help: "Whoever has the identity of this recipient, age1….")
    var recipient: String?

    @Option(help: "This key file; it is made if it does not exist.")
    var newKeyFile: String?

    @Option(help: "The passphrase that an open descriptor of this number gives.")
    var newPassphraseFd: Int32?

    @Option(help: "This environment variable's value. Discouraged.")
    var newEnv: String?

    @Option(help: "What a program prints: an absolute path, or a JSON array of it and arguments.")
    var newCommand: String?

    func validate() throws {
        guard givenCount <= 1 else {
            throw ValidationError("a slot opens with one thing; add the others one by one")
        }
    }

    private var givenCount: Int {
        [recipient, newKeyFile, newEnv, newCommand].count { $0 != nil }
            + (newPassphraseFd == nil ? 0 : 1)
    }

    /// Adds the slot; without an option the terminal is asked for a passphrase, twice.
    func addSlot(_ name: String, to keyring: inout Keyring) throws {
        if let recipient { return try keyring.addSlot(name, for: Recipient(recipient)) }
        if let newKeyFile, try KeyFile.createIfMissing(FilePath(newKeyFile)) {
            Output.line("made the key file \(newKeyFile)")
        }
        try keyring.addSlot(name, credential())
    }

    private func credential() throws -> Credential {
        if let newKeyFile { return try KeyFile.read(FilePath(newKeyFile)) }
        if let newCommand { return try KeyCommand(option: newCommand).credential() }
        if let newEnv {
            guard let secret = try Environment.takeSecret(newEnv) else {
                throw Environment.notSet(newEnv)
            }
            return try .environment(variable: newEnv, secret)
        }
        return try newPassphrase()
    }

    func newPassphrase() throws -> Credential {
        guard let number = newPassphraseFd else {
            return .passphrase(try Terminal.newPassphrase("New passphrase"))
        }
        return .passphrase(try Passphrase(readingFrom: number))
    }
}
