import ArgumentParser
import Lockstep
import SystemPackage

/// `lockstep restore`: replaces a database with its backup.
struct Restore: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Replace a database with its backup.",
        discussion: """
            The backup is verified and copied first; then the copy takes the database's name in one \
            step. If anything fails, the database is unchanged. The database can be damaged or missing: \
            only its keyring is needed. The restore is refused while a program has the database open.

            With --fields, the fields keyrings remember the state that was put back, if the backup proves one. \
            Without, they refuse it until `lockstep keys accept-database` accepts it. With them, a backup does not \
            replace the database if it has cells under a field key that was destroyed.

            Everything written since the backup is lost. If that matters, back up or salvage the database \
            first. A salvaged database is put in place in the same way.

            At another path, while the database still lies where it was, the restored one becomes a database of its \
            own under the same keyring. At the path of another database of the keyring, such as a copy that is \
            refreshed every night, it becomes that one.
            """)

    @Argument(help: "The backup. It is not changed.")
    var backup: String

    @OptionGroup var access: AccessOptions
    @OptionGroup var waiting: WaitOptions
    @OptionGroup var output: FormatOptions

    func run() throws {
        try access.limitOptions.start()
        let path = try access.database.path()
        let backup = FilePath(backup)
        guard backup != path else {
            throw ValidationError("\(path) is named both as the database and as the backup")
        }
        // Checked before the passphrase prompt: the backup can be missing.
        try Diagnosis.requireDatabase(backup)
        let credentials = CredentialSource(access.credentials)
        let file = try access.keyringFile()
        var keyring = try credentials.open(file)
        let fields = try access.fields.open(access.keyrings, of: path, credentials)
        try fields.whileUsed {
            // At a free path nothing is lost.
            if FileAccess.exists(path) {
                let restore = Lockstep.Restore(path, from: backup)
                for dataset in fields {
                    try restore.requireReadable(dataset.keys, backupKey: keyring.databaseKey(ofBackup: backup))
                }
            }
            try restore(path, from: backup, &keyring, file, fields)
        }
    }

    private func restore(
        _ path: FilePath, from backup: FilePath, _ keyring: inout Keyring, _ file: KeyringFile,
        _ fields: [FieldsKeyring]
    ) throws {
        let progress = CopyProgressLine("restore")
        // After a rotation, a backup can have a retired key; the restored database has the active one.
        var remembered: [String] = []
        let report = try Lockstep.Restore(path, from: backup).run(
            &keyring, in: file, progress: { try progress.show($0) }
        ) { keyring, fork in
            if let fork { Output.note(Forking.line(fork, path)) }
            Remembering.bind(new: path, &keyring, in: file)
            for dataset in fields {
                if let line = try dataset.acceptRestored(path, keyring.keyOfNew(path)) {
                    remembered.append(line)
                }
            }
        }
        let result = CopyResult(report, from: backup, to: path)
        guard output.format == .text else { return try Output.json(result) }
        result.show("restored")
        Output.line("verified")
        for line in remembered { Output.line(line) }
    }
}
