import ArgumentParser
import Lockstep
import SystemPackage

/// The datasets whose sealed columns a command opens.
struct FieldsOptions: ParsableArguments {
    @Option(
        name: .customLong("fields"), parsing: .singleValue,
        help: ArgumentHelp(
            "Also open the sealed columns of this dataset. (default: the variable LOCKSTEP_FIELDS)",
            discussion: """
                The dataset's name, if its fields keyring is beside the database or in a keyring folder; or a keyring file; or both, as in \
                catalogue=customers/acme.fields.keyring. Can be repeated; the variable separates several with spaces. SQL reads sealed columns through views: \
                movies_open for movies.
                """, valueName: "dataset"))
    var named: [String] = []

    /// The named datasets, or those in the variable.
    var datasets: [String] {
        guard named.isEmpty else { return named }
        return Environment.text("LOCKSTEP_FIELDS")?.split(separator: " ").map(String.init) ?? []
    }

    /// Opens the named keyrings.
    /// - Parameter database: The database with the sealed columns; nil for several.
    func open(
        _ keyrings: KeyringOptions, of database: FilePath?, _ credentials: CredentialSource
    ) throws -> [FieldsKeyring] {
        try datasets.map { text in
            let (name, file) = try Self.file(text) {
                try keyrings.fields(of: $0, for: database)
            }
            return try FieldsKeyring(file, named: name, credentials)
        }
    }

    /// The datasets and their keyrings that do not lie beside the database.
    func formerFiles(_ keyrings: KeyringOptions) throws -> [(String, KeyringFile)] {
        try datasets.map { try Self.file($0, keyrings.formerFields) }
    }

    private static let suffix = ".fields.keyring"

    /// The dataset's name in migrations, and its keyring file.
    private static func file(
        _ text: String, _ find: (String) throws -> KeyringFile
    ) throws -> (String, KeyringFile) {
        let parts = text.pieces(between: "=", atMost: 1).filter { !$0.isEmpty }.map(String.init)
        if parts.count == 2 { return (parts[0], KeyringFile(FilePath(parts[1]))) }
        guard text.utf8.contains(UInt8(ascii: "/")) || text.ends(with: suffix) else {
            return (text, try find(text))
        }
        let path = FilePath(text)
        let name = path.lastComponent?.string ?? text
        return (
            name.rest(before: suffix).map(String.init) ?? name, KeyringFile(path)
        )
    }
}
