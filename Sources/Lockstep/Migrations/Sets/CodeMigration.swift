/// A version of a migration set that is written in Swift: for what SQL cannot say, such as reading an old
/// format with a parser.
///
/// It runs in the transaction of its version, with the same checks before the commit as a file's. Put it
/// beside the files with ``MigrationSet/adding(_:)``.
public struct CodeMigration: Sendable, Equatable {
    /// Changes the database. It may not begin, commit or roll back; ``Connection/savepoint(_:)`` nests.
    public typealias Change = @Sendable (borrowing Connection) throws -> Void

    /// Where in the set's order it belongs.
    public let version: MigrationVersion
    /// What it is called in the ledger.
    public let name: String
    /// Whether foreign keys are off while it runs: with them on, dropping a table deletes its children.
    public let foreignKeysOff: Bool
    /// Tables, in lower case, that it may remove rows from.
    let tablesAllowedToLoseRows: Set<String>
    let checksums: MigrationChecksums
    let up: Change
    let down: Change?

    /// - Parameters:
    ///   - revision: What stands for the code in the ledger, since code has no checksum: change it when
    ///     the code comes to do something else, and databases that had the old one tell.
    ///   - down: The way back. It is the program's, not the ledger's: an older program has none.
    /// - Throws: ``LockstepError/Code/misuse`` for a name that is empty.
    public init(
        version: MigrationVersion, name: String, revision: String = "1",
        foreignKeysOff: Bool = false, mayLoseRowsOf tables: [String] = [],
        up: @escaping Change, down: Change? = nil
    ) throws(LockstepError) {
        guard !name.isEmpty else {
            throw LockstepError(
                .misuse, "the code migration \(version) has no name",
                hint: "give it one that says what it does")
        }
        self.version = version
        self.name = name
        self.foreignKeysOff = foreignKeysOff
        tablesAllowedToLoseRows = Set(tables.map(\.asciiLowercased))
        let text = "code\n\(version)\n\(name)\n\(revision)"
        checksums = try MigrationChecksums(bytes: Array(text.utf8), text: text)
        self.up = up
        self.down = down
    }

    /// Whether both stand for the same change, as far as version, name and revision tell.
    public static func == (one: CodeMigration, other: CodeMigration) -> Bool {
        (one.version, one.name, one.foreignKeysOff)
            == (other.version, other.name, other.foreignKeysOff)
            && one.tablesAllowedToLoseRows == other.tablesAllowedToLoseRows
            && one.checksums == other.checksums && (one.down == nil) == (other.down == nil)
    }
}
