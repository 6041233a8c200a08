import ArgumentParser
import Lockstep
import SystemPackage

/// Which datasets' sealed columns a command opens.
struct FieldsOptions: ParsableArguments {
    @Option(
        name: .customLong("fields"), parsing: .singleValue,
        help: ArgumentHelp(
            "Also open the sealed columns of this dataset.",
            discussion: """
                Its name, if its fields keyring lies in the folder of the keyrings; or a keyring's file; or both, as \
                in catalogue=customers/acme.fields.keyring. May be given several times. SQL sees what is sealed in \
                views: movies_open for movies.
                """, valueName: "dataset"))
    var datasets: [String] = []

    /// Opens the keyrings that are named.
    func open(in folder: FilePath, _ credentials: CredentialSource) throws -> [FieldsKeyring] {
        try datasets.map { text in
            let (name, file) = try Self.file(text, in: folder)
            return try FieldsKeyring(file, named: name, credentials.open(file))
        }
    }

    private static let suffix = ".fields.keyring"

    /// What migrations call the dataset, and its keyring's file.
    private static func file(
        _ text: String, in folder: FilePath
    ) throws -> (String, KeyringFile) {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        if parts.count == 2 { return (parts[0], KeyringFile(FilePath(parts[1]))) }
        guard text.contains("/") || text.hasSuffix(suffix) else {
            return (text, try KeyringFile.fields(of: text, in: folder))
        }
        let path = FilePath(text)
        let name = path.lastComponent?.string ?? text
        return (
            name.hasSuffix(suffix) ? String(name.dropLast(suffix.count)) : name, KeyringFile(path)
        )
    }
}
