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
