import ArgumentParser
import Lockstep
import SystemPackage

/// `lockstep release make`
struct MakeRelease: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "make",
        abstract: "Sign what a dataset of the database holds now.",
        discussion: """
            The manifest is written into the database, in the place of the one before. Ship the file from then on: \
            another release is needed after any change of the tables with sealed columns, of their indexes or of \
            the schema. The keyring must be the publisher's own: \
            one that was issued cannot sign.
            """)

    @OptionGroup var access: AccessOptions
    @OptionGroup var output: FormatOptions

    @Option(help: "The dataset, by its fields keyring in the folder of the keyrings.")
    var dataset: String

    @Option(help: "The release's number. (default: one more than the last)")
    var number: UInt64?

    @Flag(help: "Replace a manifest that is none of this publisher's.")
    var replaceForeign = false

    func run() throws {
        let path = try access.database.path()
        try Diagnosis.requireDatabase(path)
        let source = CredentialSource(access.credentials)
        let file = try KeyringFile.fields(of: dataset, in: access.keyrings.folder)
        let fields = try source.open(file)
        let keyring = try source.open(access.keyringFile())
        let key = try keyring.databaseKey(for: path)
        var options = ConnectionOptions()
        // What is released must be what the keyring remembers, at the least.
        options.fieldKeys = [try fields.fieldKeys(named: dataset)]
        let connection = try Connection.open(path, key: key, options: options)
        let manifest = try Manifest.make(
            fields, in: connection, number: number, replacingForeign: replaceForeign)
        let result = ReleaseResult(manifest)
        guard output.format == .text else { return try Output.json(result) }
        result.tell()
        Output.line("signed by \(manifest.publisher)")
    }
}
