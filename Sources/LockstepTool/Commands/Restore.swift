import ArgumentParser
import Lockstep
import SystemPackage

/// `lockstep restore`: a backup in the place of its database.
struct Restore: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Put a backup in the place of its database.",
        discussion: """
            The backup is verified and copied first; then the copy takes the database's name in one \
            step. If anything fails, the database stands as it was. It may be damaged, or gone: its \
            keyring is what is needed. While anybody has it open the restore is refused.

            What was written since the backup is lost. If that matters, make a backup of the database, \
            or salvage it, first. A salvaged database is put in its place in the same way.
            """)

    @Argument(help: "The backup, which stays as it is.")
    var backup: String

    @OptionGroup var access: AccessOptions
    @OptionGroup var output: FormatOptions

    func run() throws {
        let path = try access.database.path()
        let backup = FilePath(backup)
        guard backup != path else {
            throw ValidationError("\(path) is named as the database and as the backup")
        }
        // Asking for a passphrase first would be a waste where there is no backup.
        try Diagnosis.requireDatabase(backup)
        var keyring = try access.keyring()
        // After a rotation a backup may be under a key that is retired; restored, it is under the one in use.
        let backupKey = try keyring.databaseKey(ofBackup: backup)
        let key = try keyring.databaseKey()
        let progress = CopyProgressLine("restore")
        let report = try Store.restore(path, key: key, from: backup, backupKey: backupKey) {
            try progress.tell($0)
        }
        try Remembering.bind(new: path, &keyring, in: access.keyringFile())
        let result = CopyResult(report, from: backup, to: path)
        guard output.format == .text else { return try Output.json(result) }
        result.tell("restored")
        Output.line("verified")
    }
}
