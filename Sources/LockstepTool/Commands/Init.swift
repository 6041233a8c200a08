import ArgumentParser
import Lockstep

/// `lockstep init`: makes keyrings and an empty encrypted database.
struct Init: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make a keyring and an empty encrypted database under it.",
        discussion: """
            Without --key-file, --env-slot or --passphrase-fd, the command prompts for a passphrase. With \
            several of them, each opens the keyring on its own. For an existing plaintext SQLite file or \
            SQLCipher file, use `lockstep adopt`.
            """)

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var keyrings: KeyringOptions
    @OptionGroup var slots: SlotOptions

    @Option(help: "Also make a fields keyring for the sealed columns of this dataset.")
    var dataset: String?

    func run() throws {
        let path = try database.path()
        var new = NewKeyrings(slots)
        do {
            let keyring = try new.make(
                .database, keyrings.file(for: path), listing: path)
            if let dataset {
                _ = try new.make(.fields, KeyringFile.fields(of: dataset, in: keyrings.folder))
            }
            _ = try Connection.create(path, key: keyring.newDatabaseKey())
        } catch {
            new.discard()
            throw error
        }
        new.show()
        Output.line("made the encrypted database \(path)")
    }
}
