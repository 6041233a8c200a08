import ArgumentParser
import Lockstep
import SystemPackage

extension Keys {
    /// `lockstep keys rotate-database`: encrypts a database under a new key.
    struct RotateDatabase: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Encrypt a database under a new key.",
            discussion: """
                A verified copy under the new key replaces the original; no other program may use the \
                database meanwhile. If the command is killed at any moment, the database still opens with its \
                keyring, and the next run finishes the rotation. Older backups stay under the old key, which \
                the keyring keeps.
                """)

        @OptionGroup var access: AccessOptions
        @OptionGroup var waiting: WaitOptions
        @OptionGroup var output: FormatOptions

        @Flag(
            help:
                "The old key is possibly known to others: keep it only to restore backups, with a warning."
        )
        var compromised = false

        func run() throws {
            try access.limitOptions.start()
            let path = try access.database.path()
            let file = try access.keyringFile()
            var keyring = try access.keyring()
            try Forking.runIfCopy(path, &keyring, in: file)
            let progress = CopyProgressLine("rotate")
            let report = try DatabaseKeyRotation(of: path, keyring: file, reason: compromised ? .compromise : .routine)
                .run(&keyring) { try progress.show($0) }
            Remembering.showAll(of: &keyring, in: file, besides: path)
            guard output.format == .text else {
                return try Output.json(
                    [
                        "database": path.string, "oldVersion": report.oldVersion,
                        "newVersion": report.newVersion, "wasFinished": report.copy == nil,
                    ] as JSONObject)
            }
            Output.line(
                "\(path) now has database key \(report.newVersion) instead of \(report.oldVersion)"
            )
            if report.copy == nil {
                Output.line("an interrupted rotation was finished; no data was copied again")
            }
        }
    }
}
