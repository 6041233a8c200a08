import ArgumentParser
import Lockstep
import SystemPackage

/// A keyring and the credentials that open it.
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

    /// Opens, changes and writes the keyring, makes its database remember that, and reports the change.
    func change(
        _ body: (inout Keyring, KeyringFile) throws -> String
    ) throws {
        let file = try file()
        var keyring = try credentials.open(file)
        try requireFresh(keyring)
        let done = try body(&keyring, file)
        try file.save(&keyring)
        Output.line(done)
        remember(keyring)
    }

    /// Checks that the database has not seen a newer keyring than this one: with its epoch raised by the change, an
    /// older copy would look like the newest.
    /// - Throws: ``LockstepError/Code/keyringOutdated``, ``LockstepError/Code/tampered``. Other errors that prevent
    ///   opening the database are reported later, when it must remember the change.
    private func requireFresh(_ keyring: borrowing Keyring) throws {
        guard keyring.purpose == .database, let database else { return }
        let path = FilePath(database)
        do {
            var options = ConnectionOptions()
            options.isQueryOnly = true
            _ = try Connection.open(path, key: keyring.databaseKey(for: path), options: options)
        } catch let error as LockstepError {
            guard [.keyringOutdated, .tampered].contains(error.code) else { return }
            throw error
        }
    }

    /// Makes the database of a written keyring remember it.
    func remember(_ keyring: borrowing Keyring) {
        guard keyring.purpose == .database else { return }
        if let database { return Remembering.show(FilePath(database), of: keyring) }
        Output.note(
            "notice: no database was named, so none remembers the change: run `lockstep migrate` on it to "
                + "make it remember")
    }
}

/// The credential that opens a new slot.
struct NewSlotOptions: ParsableArguments {
    @Option(
        help: """
            Open the slot with the identity of this recipient: age1…, or age1NAME1…, which runs the age \
            plugin age-plugin-NAME.
            """)
    var recipient: String?

    @Option(help: "Open the slot with this key file, which is made if it does not exist.")
    var newKeyFile: String?

    @Option(help: "Open the slot with the passphrase from this open file descriptor.")
    var newPassphraseFd: Int32?

    @Option(help: "Open the slot with this environment variable's value. Discouraged.")
    var newEnv: String?

    @Option(
        help: """
            Open the slot with the output of a program: its absolute path, or a JSON array of path and \
            arguments.
            """)
    var newCommand: String?

    func validate() throws {
        guard givenCount <= 1 else {
            throw ValidationError("a slot opens with one credential: add the others one by one")
        }
    }

    private var givenCount: Int {
        [recipient, newKeyFile, newEnv, newCommand].count { $0 != nil }
            + (newPassphraseFd == nil ? 0 : 1)
    }

    /// Adds the slot. Without an option, prompts for a passphrase twice.
    func addSlot(_ name: String, to keyring: inout Keyring, _ plugins: PluginOptions) throws {
        if let recipient {
            return try keyring.addSlot(
                name, for: SlotRecipient(recipient), plugin: { try plugins.find($0) })
        }
        if let newKeyFile, try KeyFile.createIfMissing(FilePath(newKeyFile)) {
            Output.line("made the key file \(newKeyFile)")
        }
        try keyring.addSlot(name, credential(), cost: .calibrated())
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
        let passphrase =
            if let newPassphraseFd {
                try Passphrase(readingFrom: newPassphraseFd)
            } else {
                try Terminal.newPassphrase("New passphrase")
            }
        PassphraseAdvice.show(passphrase)
        return .passphrase(passphrase)
    }
}
