import ArgumentParser
import Lockstep
import SystemPackage

extension Keys {
    /// `lockstep keys rotate-database`
    struct RotateDatabase: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Encrypt a database under a new key.",
            discussion: """
                A verified copy under the new key takes the original's place; nobody else may use the \
                database meanwhile. Killed at any moment, it leaves a database that opens with its keyring, \
                and the next run finishes. Backups from before stay under the old key, which the keyring keeps.
                """)

        @OptionGroup var access: AccessOptions
        @OptionGroup var output: FormatOptions

        @Flag(
            help:
                "The old key may be known to others: keep it only to restore backups, with a warning."
        )
        var compromised = false

        private struct Result: Encodable {
            let database: String
            let oldVersion: UInt32
            let newVersion: UInt32
            let wasFinished: Bool
        }

        func run() throws {
            let path = try access.database.path()
            let file = try access.keyringFile()
            var keyring = try access.keyring()
            Interruption.expect()
            let report = try DatabaseKeyRotation(
                of: path, keyring: file, reason: compromised ? .compromise : .routine
            ).run(&keyring) { _ in try Interruption.check() }
            guard output.format == .text else {
                return try Output.json(
                    Result(
                        database: path.string, oldVersion: report.oldVersion,
                        newVersion: report.newVersion, wasFinished: report.copy == nil))
            }
            Output.line(
                "\(path) is under database key \(report.newVersion) instead of \(report.oldVersion)"
            )
            if report.copy == nil {
                Output.line("an interrupted rotation was finished; no data was copied again")
            }
        }
    }
}
