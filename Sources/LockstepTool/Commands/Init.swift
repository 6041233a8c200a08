import ArgumentParser
import Lockstep
import SystemPackage

/// `lockstep init`: keyrings and an empty encrypted database.
struct Init: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make a keyring and an empty encrypted database under it.",
        discussion: """
            Without --key-file, --env-slot or --passphrase-fd the terminal is asked for a passphrase. \
            With several of them, each opens the keyring on its own.
            """)

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var keyrings: KeyringOptions
    @OptionGroup var credentials: CredentialOptions

    @Option(help: "Also open the keyring with this environment variable's value. Discouraged.")
    var envSlot: String?

    @Option(help: "Also make a fields keyring, for the sealed columns of the dataset of this name.")
    var dataset: String?

    func run() throws {
        let path = try database.path()
        let slots = NewSlots(credentials, environment: envSlot)
        var made: [KeyringFile] = []
        do {
            let file = keyrings.file(for: path)
            var keyring = try Keyring.create(.database)
            try slots.add(to: &keyring)
            try file.create(keyring)
            made.append(file)
            if let dataset {
                let fieldsFile = try KeyringFile.fields(of: dataset, in: keyrings.folder)
                var fields = try Keyring.create(.fields)
                try slots.add(to: &fields)
                try fieldsFile.create(fields)
                made.append(fieldsFile)
            }
            let connection = try Connection.create(path, key: keyring.databaseKey())
            _ = consume connection
        } catch {
            // A keyring without its database would only stand in the way of the next try.
            for file in made { file.removeUnused() }
            throw error
        }
        for file in made { Output.line("made the keyring \(file.path)") }
        Output.line("made the encrypted database \(path)")
    }
}

/// The slots that new keyrings get.
private struct NewSlots {
    private let credentials: CredentialSource
    private let asksTerminal: Bool
    private let variable: String?

    init(_ options: CredentialOptions, environment variable: String?) {
        credentials = CredentialSource(options)
        asksTerminal = !options.isGiven && variable == nil
        self.variable = variable
    }

    func add(to keyring: inout Keyring) throws {
        if let credential = try credentials.newPassphrase(askTerminal: asksTerminal) {
            try keyring.addSlot("passphrase", credential)
        }
        if let credential = try credentials.keyFile() {
            try keyring.addSlot("key-file", credential)
        }
        if let variable {
            guard let credential = try credentials.environment(variable) else {
                throw LockstepError(
                    .noUsableSlot, "the environment variable \(variable) is not set",
                    hint: "set it to at least 32 characters that nobody can guess")
            }
            try keyring.addSlot("environment", credential)
        }
    }
}
