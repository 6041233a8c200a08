import ArgumentParser
import Lockstep
import SystemPackage

/// The slots of the keyrings that a command makes.
struct SlotOptions: ParsableArguments {
    @OptionGroup var credentials: CredentialOptions

    @Option(help: "Also let this environment variable's value open the keyring. Discouraged.") var envSlot: String?
}

/// Keyrings that are made together with their database, all with the same slots.
struct NewKeyrings: ~Copyable {
    private let credentials: CredentialSource
    private let asksTerminal: Bool
    private let variable: String?
    /// The names of the slots that the options make.
    private let names: [String]
    private var made: [(file: KeyringFile, ring: RingID)] = []
    private var takenOver: [KeyringFile] = []

    init(_ options: SlotOptions) {
        // By locals: with the options read where they are needed, Swift 6.3.1 releases a part of them twice in release
        // builds, which the transcripts notice.
        let given = options.credentials
        let source = CredentialSource(given)
        let hasKeyFile = source.keyFiles.count > 0
        let asks = !given.isGiven && options.envSlot == nil && !hasKeyFile
        var names: [String] = []
        if given.passphrases.isGiven || asks { names.append("passphrase") }
        if hasKeyFile { names.append("key-file") }
        if options.envSlot != nil { names.append("environment") }
        (credentials, asksTerminal, variable, self.names) = (source, asks, options.envSlot, names)
    }

    /// Asks for everything that opens the keyrings, before anything is made or locked.
    func ask() throws {
        _ = try credentials.passphrases.new(askTerminal: asksTerminal)
        _ = try credentials.keyFiles.new()
        if let variable, try credentials.variables.credential(variable) == nil {
            throw Environment.notSet(variable)
        }
    }

    /// Makes a keyring and its file.
    /// - Parameter new: The path of a new, empty database that the keyring lists, and which takes its id from there.
    mutating func make(
        _ purpose: KeyringPurpose, _ file: KeyringFile, listing new: FilePath? = nil
    ) throws -> Keyring {
        var keyring = try Keyring.create(purpose)
        if let new { try keyring.listNewDatabase(at: file.spelling(of: new)) }
        try addSlots(to: &keyring)
        do {
            try file.create(keyring)
        } catch {
            // It can be there already, if what failed comes after the renaming.
            if let summary = try? file.summary(), summary.ring == keyring.ring { file.removeUnused() }
            throw error
        }
        made.append((file, keyring.ring))
        return keyring
    }

    /// Opens the keyring that an interrupted command made for the same database, which has the same slots.
    mutating func takeOver(_ file: KeyringFile) throws -> Keyring {
        guard try Set(file.summary().slots.map(\.name)) == Set(names) else {
            throw Self.left(file, "has other slots than these options make")
        }
        do {
            let keyring = try credentials.open(file)
            takenOver.append(file)
            return keyring
        } catch let error as LockstepError
            where error.code == .slotNotOpened || error.code == .noUsableSlot
        {
            throw Self.left(file, "does not open: \(error.message)")
        }
    }

    private static func left(_ file: KeyringFile, _ reason: String) -> LockstepError {
        LockstepError(
            .alreadyExists,
            "\(file.path) is left from a command that was interrupted before it made the " + "database, and \(reason)",
            hint:
                "run it with the options of that command; or remove the file and run it again: nothing is "
                + "encrypted under it",
            context: .file(file.path))
    }

    /// Removes the keyrings: without their database they would only block the next attempt.
    func discard() { for one in made { one.file.removeUnused() } }

    func show() {
        for file in takenOver {
            Output.line("went on with the keyring \(file.path), which an interrupted command made")
        }
        for one in made { Output.line("made the keyring \(one.file.path), \(one.ring)") }
    }

    private func addSlots(to keyring: inout Keyring) throws {
        if let credential = try credentials.passphrases.new(askTerminal: asksTerminal) {
            try keyring.addSlot("passphrase", credential, cost: .calibrated())
        }
        if let credential = try credentials.keyFiles.new() {
            try keyring.addSlot("key-file", credential)
        }
        if let variable {
            guard let credential = try credentials.variables.credential(variable) else {
                throw Environment.notSet(variable)
            }
            try keyring.addSlot("environment", credential)
        }
    }
}
