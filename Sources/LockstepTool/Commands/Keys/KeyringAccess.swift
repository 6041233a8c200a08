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

    /// Opens the keyring, changes it, writes it, has its database remember that, and tells what was done.
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

    /// Goes on only where the database has not seen a newer keyring than the one that is about to be changed: raised, an
    /// older copy would look like the newest.
    /// - Throws: ``LockstepError/Code/keyringOutdated``, ``LockstepError/Code/tampered``. What else keeps the database
    ///   from being opened is reported when it is to remember the change.
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

    /// Has the database of a keyring that was written remember it.
    func remember(_ keyring: borrowing Keyring) {
        guard keyring.purpose == .database else { return }
        if let database { return Remembering.tell(FilePath(database), of: keyring) }
        Output.note(
            "notice: no database was named, and so none knows of the change: `lockstep migrate` on it makes "
                + "it remember")
    }
}

/// What shall open a slot that is being made.
struct NewSlotOptions: ParsableArguments {
    @Option(
        help: """
            Anyone who has the identity of this recipient: age1…, or age1NAME1…, for which the age plugin \
            age-plugin-NAME is run.
            """)
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
        PassphraseAdvice.tell(passphrase)
        return .passphrase(passphrase)
    }
}
