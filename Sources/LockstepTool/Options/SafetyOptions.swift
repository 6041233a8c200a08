import ArgumentParser
import Lockstep

/// The options of a safe migration.
struct SafetyOptions: ParsableArguments {
    @Flag(
        help: """
            Back up first, verify afterwards, and restore the backup if anything fails. If other programs wrote \
            meanwhile, nothing is restored, so that no writes are lost, and the error names the backup.
            """)
    var safe = false

    @Option(help: "The folder for the backups of --safe. (default: the database's folder)") var backupFolder: String?

    @Option(help: "How many backups --safe keeps; it removes the oldest. (default: 3)")
    var keep: Int?

    func validate() throws {
        guard safe || (backupFolder == nil && keep == nil) else {
            throw ValidationError("--backup-folder and --keep need --safe")
        }
        guard keep ?? 0 >= 0 else { throw ValidationError("--keep must be 0 or more") }
    }
}
