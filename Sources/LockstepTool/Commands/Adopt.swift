import ArgumentParser
import Lockstep
import SystemPackage

/// `lockstep adopt`: an encrypted database of what another program keeps.
struct Adopt: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make an encrypted database of a plaintext SQLite file, or of a SQLCipher file.",
        discussion: """
            The original is a plaintext SQLite database, or one of SQLCipher 1 to 4 under a passphrase, \
            which the terminal is asked for or --source-passphrase-fd gives. It is copied row by row \
            into the new database and compared; it is only read, and stays where it is.

            The new database comes under its keyring. Where there is none, one is made as `lockstep \
            init` does: without --key-file, --env-slot or --passphrase-fd the terminal is asked for a \
            new passphrase.
            """)

    @Argument(help: "The plaintext SQLite file, or the SQLCipher file, to adopt.")
    var source: String

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var keyrings: KeyringOptions
    @OptionGroup var slots: SlotOptions

    @Option(
        help:
            "The number of an open descriptor to read the original's passphrase from, up to its end."
    )
    var sourcePassphraseFd: Int32?

    @OptionGroup var output: FormatOptions

    private struct Result: Encodable {
        let copy: CopyResult
        let isOriginalPlaintext: Bool
        let applicationID: Int64
        let brokenForeignKeys: Int
        let keyring: String
        let isKeyringNew: Bool
    }

    func validate() throws {
        if let sourcePassphraseFd, sourcePassphraseFd == slots.credentials.passphraseFd {
            throw ValidationError(
                "--passphrase-fd and --source-passphrase-fd need a descriptor each")
        }
    }

    func run() throws {
        let path = try database.path()
        let isPlaintext = try isSourcePlaintext()
        let passphrase = try isPlaintext ? nil : sourcePassphrase()
        let file = keyrings.file(for: path)
        let isNew = !file.exists
        guard isNew || slots.envSlot == nil else {
            throw ValidationError(
                "--env-slot is for a new keyring, and \(file.path) exists already")
        }
        var new = NewKeyrings(slots)
        let report: AdoptionReport
        do {
            var keyring =
                try isNew ? new.make(.database, file) : slots.credentials.open(file)
            report = try adopt(passphrase, into: path, keyring.databaseKey())
            Remembering.bind(new: path, &keyring, in: file)
        } catch {
            new.discard()
            throw error
        }
        guard output.format == .text else {
            return try Output.json(
                Result(
                    copy: CopyResult(report.copy, from: FilePath(source), to: path),
                    isOriginalPlaintext: isPlaintext, applicationID: report.applicationID,
                    brokenForeignKeys: report.brokenForeignKeys, keyring: file.path.string,
                    isKeyringNew: isNew))
        }
        new.tell()
        tell(report, path, isPlaintext: isPlaintext)
    }

    /// Whether the source needs no passphrase.
    /// - Throws: ``LockstepError`` for what cannot be adopted, whatever the passphrase.
    private func isSourcePlaintext() throws -> Bool {
        do {
            try Diagnosis.requireDatabase(FilePath(source))
            return false
        } catch let error as LockstepError where error.code == .plaintextDatabase {
            // Whoever gives a passphrase believes that the file is encrypted.
            guard sourcePassphraseFd == nil else {
                throw error.located(
                    "no passphrase can be right",
                    hint:
                        "leave out --source-passphrase-fd, and treat the file as open to everybody")
            }
            return true
        }
    }

    private func sourcePassphrase() throws -> Passphrase {
        if let sourcePassphraseFd { return try Passphrase(readingFrom: sourcePassphraseFd) }
        return try Terminal.passphrase(
            "Passphrase of \(Output.printable(source))", instead: "--source-passphrase-fd")
    }

    private func adopt(
        _ passphrase: borrowing Passphrase?, into path: FilePath, _ key: borrowing DatabaseKey
    ) throws -> AdoptionReport {
        let original = FilePath(source)
        let progress = CopyProgressLine("adopt")
        guard let passphrase = try passphrase?.clone() else {
            return try Adoption.adopt(plaintext: original, into: path, key: key) {
                try progress.tell($0)
            }
        }
        return try Adoption.adopt(original, passphrase: passphrase, into: path, key: key) {
            try progress.tell($0)
        }
    }

    private func tell(_ report: AdoptionReport, _ path: FilePath, isPlaintext: Bool) {
        CopyResult(report.copy, from: FilePath(source), to: path).tell("adopted", "into")
        if report.isOfAnotherProgram {
            Output.note(
                "notice: the original bears the application_id \(report.applicationID) of another "
                    + "program; the new database bears Lockstep's")
        }
        if report.brokenForeignKeys > 0 {
            Output.note(
                "notice: \(counted(report.brokenForeignKeys, "row")) without the row referred to, "
                    + "as in the original: `PRAGMA foreign_key_check` lists them")
        }
        Output.line("\(source) is as it was")
        if isPlaintext {
            Output.line(
                "it is NOT encrypted: once the new database serves, destroy it and every copy of it"
            )
        }
    }
}
