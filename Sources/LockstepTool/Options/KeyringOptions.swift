import ArgumentParser
import Lockstep
import Synchronization
import SystemPackage

/// The location of the keyrings.
///
/// A keyring that no option names lies beside its database. It is looked for beside the database, in the folder that
/// the variable names, and where earlier versions made it: in `Keys`. A fields keyring can also lie beside the named
/// keyring of the database.
struct KeyringOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            A folder of keyrings, one for each database and dataset by name. (default: the folder beside the database, \
            such as films.db.keys; then the variable LOCKSTEP_KEYS)
            """, valueName: "folder"))
    var keys: String?

    @Option(
        name: .customLong("keyring"),
        help: ArgumentHelp(
            "The keyring file. (default: the variable LOCKSTEP_KEYRING, or the database's own)",
            valueName: "keyring"))
    var named: String?

    /// The named keyring, or the one in the variable.
    var keyring: String? { named ?? Environment.text("LOCKSTEP_KEYRING") }

    /// The keyring that opens a database.
    func file(for database: FilePath) -> KeyringFile {
        if let keyring { return KeyringFile(FilePath(keyring)) }
        return ownFile(of: database)
    }

    /// The same, whatever keyring is named for other purposes.
    func ownFile(of database: FilePath) -> KeyringFile {
        find(newOwnFile(of: database), beside: [.database(beside: database)]) { folder in
            .database(for: database, in: folder)
        }
    }

    /// The keyring to make for a database.
    func newFile(for database: FilePath) -> KeyringFile {
        if let keyring { return KeyringFile(FilePath(keyring)) }
        return newOwnFile(of: database)
    }

    /// The fields keyring of a dataset.
    /// - Parameter database: The database with the sealed columns; nil for several.
    func fields(of dataset: String, for database: FilePath?) throws -> KeyringFile {
        let beside = try [
            database.map { try KeyringFile.fields(of: dataset, beside: $0) },
            keyring.map { try .fields(of: dataset, in: FilePath($0).removingLastComponent()) },
        ].compactMap { $0 }
        let other = try namedFolder.map { try KeyringFile.fields(of: dataset, in: $0) }
        let former = try KeyringFile.fields(of: dataset, in: Self.formerFolder)
        return try find(other ?? beside.first ?? former, beside: beside) {
            try .fields(of: dataset, in: $0)
        }
    }

    /// The fields keyring to make for a dataset.
    /// - Parameter database: The database that gets the sealed columns; nil if none was named.
    func newFields(of dataset: String, for database: FilePath?) throws -> KeyringFile {
        if let namedFolder { return try .fields(of: dataset, in: namedFolder) }
        guard let database else {
            throw ValidationError(
                "name the database with --database, so that the keyring lies beside it, or a folder with --keys")
        }
        return try .fields(of: dataset, beside: database)
    }

    /// The keyring of a database that does not lie beside it: the named one, or where earlier versions made it.
    func formerFile(of database: FilePath) -> KeyringFile {
        if let keyring { return KeyringFile(FilePath(keyring)) }
        return .database(for: database, in: namedFolder ?? Self.formerFolder)
    }

    /// The same for the fields keyring of a dataset.
    func formerFields(of dataset: String) throws -> KeyringFile {
        try .fields(of: dataset, in: namedFolder ?? Self.formerFolder)
    }

    /// The folders with the keyrings of several databases.
    func folders() throws -> [FilePath] {
        if let namedFolder { return [namedFolder] }
        let beside = try Folder.list(".", where: { $0.ends(with: KeyringFile.folderSuffix) }).folders
        return ([Self.formerFolder.string] + beside).filter { FileAccess.exists(FilePath($0)) }
            .map { FilePath($0) }
    }

    /// Where earlier versions made keyrings, below the current folder.
    static let formerFolder: FilePath = "Keys"

    /// The folder that an option or variable names.
    private var namedFolder: FilePath? {
        (keys ?? Environment.text("LOCKSTEP_KEYS")).map { FilePath($0) }
    }

    private func newOwnFile(of database: FilePath) -> KeyringFile {
        namedFolder.map { .database(for: database, in: $0) } ?? .database(beside: database)
    }

    /// The first of the places with a keyring; `other` if there is none.
    private func find(
        _ other: KeyringFile, beside: [KeyringFile], in folder: (FilePath) throws -> KeyringFile
    ) rethrows -> KeyringFile {
        if keys != nil { return other }
        if let found = (beside + [other]).first(where: \.exists) { return found }
        let former = try folder(Self.formerFolder)
        guard former.exists else { return other }
        Self.hasNotice.withLock { hasNotice in
            guard !hasNotice, other.path != former.path else { return }
            hasNotice = true
            Output.note(
                "notice: used \(former.path), where earlier versions made keyrings: `lockstep keys move` "
                    + "puts it beside its database")
        }
        return former
    }

    private static let hasNotice = Mutex(false)
}
