import ArgumentParser
import Lockstep
import SystemPackage

/// `lockstep init`: makes keyrings and an empty encrypted database.
struct Init: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make a keyring and an empty encrypted database under it.",
        discussion: """
            Without --key-file, --env-slot or --passphrase-fd, the command prompts for a passphrase. With \
            several of them, each opens the keyring on its own. If the command is interrupted, run it again \
            with the same options. For an existing plaintext SQLite file or \
            SQLCipher file, use `lockstep adopt`.
            """)

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var keyrings: KeyringOptions
    @OptionGroup var waiting: WaitOptions
    @OptionGroup var slots: SlotOptions
    @OptionGroup var limitOptions: LimitOptions

    @Option(help: "Also make a fields keyring for the sealed columns of this dataset.")
    var dataset: String?

    func run() throws {
        try limitOptions.start()
        let path = try database.path()
        try SideFileName.require(no: path)
        let file = keyrings.newFile(for: path)
        var new = NewKeyrings(slots)
        if !file.exists { try new.ask() }
        try DatabaseCreation.run(of: path, under: file) { try run(path, file, &new) }
        Output.line("made the encrypted database \(path)")
    }

    private func run(
        _ path: FilePath, _ file: KeyringFile, _ new: inout NewKeyrings
    ) throws {
        // Whether an `init` was killed before it had made the database.
        let isBegun = try file.awaitsDatabase(at: path)
        do {
            var keyring = try isBegun ? new.takeOver(file) : new.make(.database, file, listing: path)
            try makeFields(path, isBegun, &new)
            let connection = try Connection.create(path, key: keyring.newDatabaseKey(at: file.spelling(of: path)))
            Remembering.show(connection, of: &keyring, in: file)
        } catch {
            new.discard()
            throw error
        }
        new.show()
    }

    private func makeFields(
        _ path: FilePath, _ isBegun: Bool, _ new: inout NewKeyrings
    ) throws {
        guard let dataset else { return }
        let file = try keyrings.newFields(of: dataset, for: path)
        if isBegun, file.exists, try file.summary().databases.isEmpty {
            _ = try new.takeOver(file)
        } else {
            _ = try new.make(.fields, file)
        }
    }
}
