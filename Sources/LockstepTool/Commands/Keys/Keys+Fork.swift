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

                At a path where the keyring has seen another database, which the copy has replaced, the copy becomes \
                that one: so a database for trials can be refreshed with cp and this command. The keyring is that of \
                the database; --database or --keyring names it.

                With --fields, the fields keyrings remember the new database, too. Otherwise they refuse it until \
                `keys accept-database` or `migrate --first-time` says that you made it: whoever has the database's \
                keyring can make a fork. If this command is killed, run it again.
                """)

        @Argument(help: "The copy.")
        var copy: String

        @Option(
            name: [.short, .long],
            help: "The database that it is a copy of. (default: the variable LOCKSTEP_DATABASE)")
        var database: String?

        @OptionGroup var keyrings: KeyringOptions
        @OptionGroup var fields: FieldsOptions
        @OptionGroup var credentials: CredentialOptions
        @OptionGroup var waiting: WaitOptions
        @OptionGroup var limitOptions: LimitOptions

        func validate() throws {
            // With its keyring, the database need not be named.
            if keyrings.keyring == nil { _ = try DatabaseOptions.path(database) }
        }

        func run() throws {
            try limitOptions.start()
            let copy = FilePath(copy)
            let original = try? DatabaseOptions.path(database)
            let session = try Session.open(
                copy, keyrings, fields, credentials, withKeyringOf: original)
            let report = try Lockstep.Fork(of: copy, keyring: session.opened.file)
                .run(&session.opened.keyring)
            Output.line(Forking.line(report, copy))
            for line in try session.acceptSealed() { Output.line(line) }
        }
    }
}
