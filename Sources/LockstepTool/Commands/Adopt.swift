import ArgumentParser
import Lockstep
import SystemPackage

/// `lockstep adopt`: copies another program's database into an encrypted one.
struct Adopt: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make an encrypted database from a plaintext SQLite file or a SQLCipher file.",
        discussion: """
            The original is a plaintext SQLite database, or a SQLCipher 1 to 4 database with a passphrase or a \
            raw key, which comes from a file, a descriptor or a prompt. It is copied row by row into the new \
            database, and the two are compared. The original is only read, and stays where it is.

            Settings that the program of a SQLCipher file changed are found, except the rounds of its key \
            derivation and the salt of a plaintext header: give those as the program sets them, such as \
            --source-settings 'kdf_iter = 10000'. `PRAGMA cipher_settings` in that program shows them.

            The command makes a keyring for the new database, as `lockstep init` does: without --key-file, \
            --env-slot or --passphrase-fd, it prompts for a new passphrase. It uses an existing keyring only \
            with --share-keyring: to rotate or destroy a key then concerns every database of that keyring.

            A collation that only the original's program has is replaced by the order of the original's own indexes, \
            which the new database's get too; a notice names it. What only that program can make, such as a \
            virtual table of its own module, is left out by name with --leave-out.

            A damaged original is refused. With --salvage its readable rows are recovered instead: see \
            `lockstep salvage` for what becomes of rows whose table is unknown. The command then exits with 65 \
            if anything was lost. Plaintext has no MACs, so that a changed text in it can remain unnoticed.
            """)

    @Argument(help: "The plaintext SQLite file or SQLCipher file to adopt.")
    var source: String

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var keyrings: KeyringOptions
    @OptionGroup var waiting: WaitOptions
    @OptionGroup var slots: SlotOptions

    @OptionGroup var secrets: SourceOptions

    @Flag(
        help:
            "Use an existing keyring, so that one key opens this database and the keyring's others."
    )
    var shareKeyring = false

    @Flag(help: "Recover what is readable of a damaged original.")
    var salvage = false

    @Option(
        help: .init(
            "Do not copy this table, index, view or trigger. Can be repeated.",
            discussion: "With a table go its indexes and triggers.", valueName: "name"))
    var leaveOut: [String] = []

    @OptionGroup var limitOptions: LimitOptions
    @OptionGroup var output: FormatOptions

    private enum Result {
        case adopted(AdoptionReport, unusable: [String])
        case salvaged(SalvageReport)
    }

    func validate() throws {
        let own = [
            slots.credentials.passphrases.passphraseFd, slots.credentials.keyFiles.keyFd,
        ]
        if salvage, !leaveOut.isEmpty {
            throw ValidationError("--salvage recovers all that it finds: --leave-out has no part in it")
        }
        if let shared = secrets.descriptor, own.contains(shared.number) {
            throw ValidationError("\(shared.option) and the new database's key need different descriptors")
        }
    }

    func run() throws {
        try limitOptions.start()
        let path = try database.path()
        try SideFileName.require(no: path)
        let isPlaintext = try isSourcePlaintext()
        let secret = try isPlaintext ? SourceSecret.none : secrets.secret(of: source)
        let file = shareKeyring ? keyrings.file(for: path) : keyrings.newFile(for: path)
        var new = NewKeyrings(slots)
        if !file.exists { try new.ask() }
        let (result, isNew) = try DatabaseCreation.run(of: path, under: file) {
            let isNew = !file.exists
            return (try make(path, secret, file, isNew: isNew, &new), isNew)
        }
        let report: AdoptionReport
        let unusable: [String]
        switch result {
        case .adopted(let adopted, let objects): (report, unusable) = (adopted, objects)
        case .salvaged(let salvaged):
            if output.format == .text { new.show() }
            try salvaged.show(from: source, to: path.string, keyring: file.path, output)
            if output.format == .text { showOriginal(isPlaintext: isPlaintext) }
            if !salvaged.isComplete { throw ExitCode(Exit.tampered) }
            return
        }
        guard output.format == .text else {
            return try Output.json(
                [
                    "copy": CopyResult(report.copy, from: FilePath(source), to: path),
                    "isOriginalPlaintext": isPlaintext, "applicationID": report.applicationID,
                    "brokenForeignKeys": report.brokenForeignKeys, "keyring": file.path.string,
                    "isKeyringNew": isNew, "pageSize": report.pageSize,
                    "settings": report.settings, "unusableObjects": unusable,
                    "ownCollations": report.ownCollations, "leftOut": report.leftOut,
                ] as JSONObject)
        }
        new.show()
        show(report, path, isPlaintext: isPlaintext)
        for object in unusable { Output.note("notice: \(object)") }
        guard unusable.contains(where: { $0.contains("single-quotes") }) else { return }
        Output.note(
            "hint: text in double quotes is a name in Lockstep's databases. The rows are all there: let a migration make "
                + "these objects again, with the text in single quotes; until then `lockstep verify` reports them")
    }

    private func make(
        _ path: FilePath, _ secret: borrowing SourceSecret, _ file: KeyringFile, isNew: Bool, _ new: inout NewKeyrings
    ) throws -> Result {
        guard isNew || slots.envSlot == nil else {
            throw ValidationError("--env-slot is for a new keyring, but \(file.path) already exists")
        }
        do {
            var keyring =
                try isNew ? new.make(.database, file) : existing(file)
            let result: Result =
                try salvage
                ? .salvaged(recover(secret, into: path, file.list(newDatabase: path, &keyring)))
                : .adopted(adopt(secret, into: path, &keyring, file), unusable: [])
            Remembering.bind(new: path, &keyring, in: file)
            guard case .adopted(let report, _) = result else { return result }
            return .adopted(report, unusable: unusableObjects(of: path, keyring))
        } catch {
            new.discard()
            throw error
        }
    }

    /// What SQLite cannot use in the new database, which is made: a failure here is one more line.
    private func unusableObjects(of path: FilePath, _ keyring: borrowing Keyring) -> [String] {
        do {
            var reading = ConnectionOptions()
            reading.isQueryOnly = true
            return try Connection.open(path, key: keyring.keyOfNew(path), options: reading).unusableObjects()
        } catch {
            return ["whether the schema of \(path) is usable is not known: \(error)"]
        }
    }

    /// Opens a keyring that the command does not make. One that records no database, or only this one, which was never
    /// made, is left from an adoption that was stopped.
    private func existing(_ file: KeyringFile) throws -> Keyring {
        let keyring = try slots.credentials.open(file)
        let isBegun = try file.awaitsDatabase(at: database.path())
        guard shareKeyring || isBegun || !keyring.recordsDatabases else {
            throw LockstepError(
                .alreadyExists, "\(file.path) is the keyring of another database",
                hint:
                    "to make a keyring for this database, name another file with --keyring or another folder "
                    + "with --keys; to put both under one key, add --share-keyring")
        }
        return keyring
    }

    /// Whether the source needs no key.
    /// - Throws: ``LockstepError`` if no key makes the file adoptable.
    private func isSourcePlaintext() throws -> Bool {
        do {
            try Diagnosis.requireDatabase(FilePath(source))
            return false
        } catch let error as LockstepError where error.code == .otherSettings {
            // A plaintext header is followed by ciphertext.
            return false
        } catch let error as LockstepError where error.code == .plaintextDatabase || (salvage && isCutPlaintext) {
            // A user who gives a passphrase believes that the file is encrypted.
            guard let option = secrets.given else { return true }
            let secret = option == "--source-passphrase-fd" ? "passphrase" : "key"
            throw error.located(
                "no \(secret) can be right", hint: "leave out \(option), and treat the file as readable by anyone")
        }
    }

    private var isCutPlaintext: Bool {
        if case .plaintext? = try? Diagnosis.examinePlaintext(FilePath(source)) {
            true
        } else {
            false
        }
    }

    private func adopt(
        _ secret: borrowing SourceSecret, into path: FilePath, _ keyring: inout Keyring, _ file: KeyringFile
    ) throws -> AdoptionReport {
        let progress = CopyProgressLine("adopt")
        var adoption = Adoption(of: FilePath(source), into: path)
        adoption.settings = try secrets.settings()
        adoption.leavesOut = leaveOut
        switch secret {
        case .none:
            return try adoption.run(&keyring, in: file) { try progress.show($0) }
        case .passphrase(let passphrase):
            return try adoption.run(&keyring, in: file, passphrase: passphrase.clone()) {
                try progress.show($0)
            }
        case .rawKey(let key):
            return try adoption.run(&keyring, in: file, rawKey: key) { try progress.show($0) }
        }
    }

    private func recover(
        _ secret: borrowing SourceSecret, into path: FilePath, _ key: borrowing DatabaseKey
    ) throws -> SalvageReport {
        var salvage = Lockstep.Salvage(FilePath(source), into: path)
        salvage.settings = try secrets.settings()
        let progress = CopyProgressLine("adopt")
        switch secret {
        case .none:
            return try salvage.runPlaintext(newKey: key) { try progress.show($0) }
        case .passphrase(let passphrase):
            return try salvage.run(passphrase: passphrase, newKey: key) { try progress.show($0) }
        case .rawKey(let raw):
            return try salvage.run(rawKey: raw, newKey: key) { try progress.show($0) }
        }
    }

    private func show(_ report: AdoptionReport, _ path: FilePath, isPlaintext: Bool) {
        CopyResult(report.copy, from: FilePath(source), to: path).show("adopted", "into")
        if report.isOfAnotherProgram {
            Output.note(
                "notice: the original has the application_id \(report.applicationID) of another "
                    + "program; the new database has Lockstep's")
        }
        if let settings = report.settings {
            Output.note(
                "notice: the original has settings of its own: \(settings); the new database has the "
                    + "defaults of SQLCipher 4")
        } else if report.hasOtherPageSize {
            Output.note(
                "notice: the original has pages of \(report.pageSize) bytes; the new database has pages of 4096")
        }
        if report.brokenForeignKeys > 0 {
            Output.note(
                "notice: \(counted(report.brokenForeignKeys, "row")) with a broken foreign key, "
                    + "as in the original: see `PRAGMA foreign_key_check`")
        }
        for collation in report.ownCollations {
            Output.note(
                "notice: the collation \(collation) is not known here: indexes have the order that they have in the original"
            )
        }
        if !report.leftOut.isEmpty {
            Output.note("notice: left out, as asked: \(report.leftOut.joined(separator: ", "))")
        }
        showOriginal(isPlaintext: isPlaintext)
        let recordsMigrations = report.copy.rows["lockstep_migration", default: 0] > 0
        Output.line(
            recordsMigrations
                ? "next: `lockstep verify`, and `lockstep status` with its migrations"
                : "next: `lockstep verify`, and `lockstep baseline --from-database` to migrate it from here on")
    }

    private func showOriginal(isPlaintext: Bool) {
        Output.line("\(source) is unchanged")
        if isPlaintext {
            Output.line("it is NOT encrypted: once the new database is in use, destroy it and every copy of it")
        }
    }
}
