import ArgumentParser
import Lockstep
import SystemPackage

extension Keys {
    /// `lockstep keys move`: puts a database's keyrings beside it.
    struct Move: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Put the keyring of a database beside it.",
            discussion: """
                The keyring of films.db then is films.db.keys/database.keyring, where every command finds it. The \
                command takes it from --keyring or from the folder that --keys names; without them, from Keys, where \
                earlier versions made keyrings. With --fields, it also puts those of the datasets there, such as \
                films.db.keys/movies.fields.keyring. A keyring that several databases need stays where it is, and so \
                does that of a database which lies elsewhere.

                If this command is killed, run it again.
                """)

        @OptionGroup var access: AccessOptions
        @OptionGroup var waiting: WaitOptions

        func run() throws {
            try access.limitOptions.start()
            let path = try access.database.path()
            let source = CredentialSource(access.credentials)
            let former = access.keyrings.formerFile(of: path)
            var moves = [(former, KeyringFile.database(beside: path))]
            for (name, file) in try access.fields.formerFiles(access.keyrings) {
                moves.append((file, try .fields(of: name, beside: path)))
            }
            // Everything that can be refused is asked before anything is moved.
            for (file, target) in moves where try isDue(file, target) {
                try requireOwn(file, path)
                let keyring = try source.open(file)
                if let other = try keyring.otherDatabase(than: path, file) { throw elsewhere(file, other, path) }
            }
            for (file, target) in moves {
                guard try isDue(file, target) else {
                    Output.line("\(target.path) is beside the database already")
                    continue
                }
                var keyring = try source.open(file)
                try file.move(&keyring, to: target)
                Output.line("moved \(file.path) to \(target.path)")
                guard keyring.purpose == .database, FileAccess.exists(path) else { continue }
                Remembering.show(path, of: &keyring, in: target)
            }
        }

        /// Whether a keyring is to be moved; the error of a keyring that is missing shows when it is opened.
        private func isDue(_ file: KeyringFile, _ target: KeyringFile) throws -> Bool {
            file.path != target.path && (file.exists || !target.exists)
        }

        private func elsewhere(_ file: KeyringFile, _ other: FilePath, _ path: FilePath) -> LockstepError {
            LockstepError(
                .keyringConflict,
                "\(file.path) is the keyring of \(other), which would not find it beside \(path)",
                hint:
                    "leave it where it is, and name it with --keyring or --fields; if \(path) is a copy that is to be a "
                    + "database of its own, give it a keyring of its own: export it, and adopt the export",
                context: .file(file.path))
        }

        /// Beside one database, the others would not find it.
        private func requireOwn(_ file: KeyringFile, _ path: FilePath) throws {
            let databases = try file.summary().databases
            guard databases.count > 1 else { return }
            let others = databases.compactMap(\.path).map(\.string).sortedByBytes()
            throw LockstepError(
                .keyringConflict,
                "\(file.path) is the keyring of \(counted(databases.count, "database"))"
                    + (others.isEmpty ? "" : ": \(others.joined(separator: ", "))"),
                hint:
                    "a keyring beside \(path) opens only that one: leave it where it is, and name it with "
                    + "--keyring or --fields, or its folder with --keys or LOCKSTEP_KEYS", context: .file(file.path))
        }
    }
}
