import ArgumentParser
import Lockstep
import SystemPackage

/// A keyring and the credentials that open it.
struct KeyringAccess: ParsableArguments {
    @OptionGroup var keyrings: KeyringOptions
    @OptionGroup var waiting: WaitOptions
    @OptionGroup var credentials: CredentialOptions

    @Option(
        name: [.customShort("d"), .customLong("database")],
        help: ArgumentHelp(
            "The keyring of this database; with --dataset, the fields keyring beside it. (default: the variable LOCKSTEP_DATABASE)",
            valueName: "database"))
    var namedDatabase: String?

    @Option(help: "The fields keyring of this dataset.")
    var dataset: String?

    /// The named database; the one in the variable, if no keyring is named otherwise.
    var database: String? {
        if namedDatabase != nil || dataset != nil || keyrings.named != nil { return namedDatabase }
        return Environment.text("LOCKSTEP_DATABASE")
    }

    func validate() throws {
        let named = [keyrings.named, dataset ?? namedDatabase].count { $0 != nil }
        guard named <= 1, named == 1 || database != nil || keyrings.keyring != nil else {
            throw ValidationError("name one keyring: with --keyring, --database or --dataset")
        }
    }

    func file() throws -> KeyringFile {
        if let dataset {
            let database = namedDatabase ?? Environment.text("LOCKSTEP_DATABASE")
            return try keyrings.fields(of: dataset, for: database.map { FilePath($0) })
        }
        return keyrings.file(for: FilePath(database ?? ""))
    }

    /// Opens, changes and writes the keyring, makes its database remember that, and reports the change.
    func change(
        _ body: (inout Keyring, KeyringFile) throws -> String
    ) throws {
        let file = try file()
        let source = CredentialSource(credentials)
        var keyring = try source.open(file)
        try requireFresh(&keyring, file, source)
        Output.line(try change(&keyring, file, source, body))
        remember(&keyring, file, source)
    }

    /// Changes and writes the keyring. If someone else has written it meanwhile, it is read again and changed again,
    /// while nobody else can write it.
    private func change(
        _ keyring: inout Keyring, _ file: KeyringFile, _ source: CredentialSource,
        _ body: (inout Keyring, KeyringFile) throws -> String
    ) throws -> String {
        do {
            // Without a lock: the command can ask for a passphrase now.
            let done = try body(&keyring, file)
            try file.save(&keyring)
            return done
        } catch let error as LockstepError where error.code == .keyringChanged {
            guard try source.reread(file, &keyring) else { throw error }
        }
        var done = ""
        try file.update(&keyring) { done = try body(&$0, file) }
        return done
    }

    /// Checks that no database of the keyring that can be opened has seen a newer one than this: with its epoch raised
    /// by the change, an older copy would look like the newest.
    /// - Throws: ``LockstepError/Code/keyringOutdated``; of the named database also
    ///   ``LockstepError/Code/databaseOutdated`` and ``LockstepError/Code/tampered``. Other errors that
    ///   prevent opening the database are reported later, when it must remember the change.
    private func requireFresh(_ keyring: inout Keyring, _ file: KeyringFile, _ source: CredentialSource) throws {
        if keyring.purpose == .fields { return try requireFreshFields(&keyring, file, source) }
        do {
            try ReadAgain().run(rereading: { try source.reread(file, &keyring) }) {
                try keyring.requireNewest(in: file)
                try requireFresh(keyring)
            }
        } catch let error as LockstepError {
            guard [.keyringOutdated, .databaseOutdated, .tampered].contains(error.code) else {
                return
            }
            throw error
        }
    }

    private func requireFresh(_ keyring: borrowing Keyring) throws {
        guard let database else { return }
        var options = ConnectionOptions()
        options.isQueryOnly = true
        let path = FilePath(database)
        _ = try Connection.open(path, key: keyring.databaseKey(for: path), options: options)
    }

    /// Makes the databases of a written keyring remember it: of a database keyring all that can be opened now, of a
    /// fields keyring the one that was named.
    func remember(_ keyring: inout Keyring, _ file: KeyringFile, _ source: CredentialSource) {
        if keyring.purpose == .fields { return rememberFields(&keyring, file, source) }
        let named = database.map { FilePath($0) }
        if let named { Remembering.show(named, of: &keyring, in: file) }
        Remembering.showAll(of: &keyring, in: file, besides: named)
    }
}
