import ArgumentParser
import Lockstep
import SystemPackage

extension Keys {
    /// `lockstep keys fork`: makes a copy a database of its own.
    struct Fork: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a copy a database of its own.",
            discussion: """
                A backup, and a file copied with cp, has the identity of its database. This command gives it one of \
                its own and records it in the database's keyring, beside the database, which does not change. A \
                command that changes a backup does the same first. To put a backup in the place of its database, \
                restore it instead.

                With --fields, the fields keyrings remember the new database, too; otherwise the first command with \
                them that changes it does that. If this command is killed, run it again.
                """)

        @Argument(help: "The copy.")
        var copy: String

        @OptionGroup var access: AccessOptions
        @OptionGroup var waiting: WaitOptions

        func run() throws {
            let copy = FilePath(copy)
            let session = try Session.open(
                copy, access.keyrings, access.fields, access.credentials, withKeyringOf: access.database.path())
            let report = try Lockstep.Fork(of: copy, keyring: session.opened.file)
                .run(&session.opened.keyring)
            Output.line(Forking.line(report, copy))
            guard !session.fields.isEmpty else { return }
            try session.rememberSealed(session.connect(canBeFirst: true))
        }
    }
}
