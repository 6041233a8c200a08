/// A version of a migration set that is written in Swift, for changes that SQL cannot express, such as parsing an
/// old format.
///
/// It runs in the transaction of its version. The same checks as for a file run before the commit. Combine it
/// with a set's files with ``MigrationSet/adding(_:)``.
public struct CodeMigration: Sendable, Equatable {
    /// Changes the database. It must not begin, commit or roll back a transaction; ``Connection/savepoint(_:)``
    /// nests.
    public typealias Change = @Sendable (borrowing Connection) throws -> Void

    /// Its place in the set's order.
    public let version: MigrationVersion
    /// Its name in the ledger.
    public let name: String
    /// Whether foreign keys are off while it runs. With foreign keys on, dropping a table deletes the rows that
    /// refer to it.
    public let foreignKeysOff: Bool
    /// The tables that it may remove rows from.
    let tablesAllowedToLoseRows: Set<SQLName>
    let checksums: MigrationChecksums
    let up: Change
    let down: Change?

    /// Makes a version from closures.
    /// - Parameters:
    ///   - version: Its place in the set's order.
    ///   - name: Its name in the ledger.
    ///   - revision: Stands for the code in the ledger, since code has no checksum. Change it when the code
    ///     changes what it does; databases that ran the old revision then report a difference.
    ///   - foreignKeysOff: Whether foreign keys are off while it runs; they are still checked afterwards.
    ///   - tables: The tables that may lose rows.
    ///   - up: Makes the change, in the version's transaction.
    ///   - down: Undoes the change. The ledger does not record it: an older program cannot undo this version.
    /// - Throws: ``LockstepError/Code/misuse`` for an empty name.
    public init(
        version: MigrationVersion, name: String, revision: String = "1",
        foreignKeysOff: Bool = false, mayLoseRowsOf tables: [String] = [],
        up: @escaping Change, down: Change? = nil
    ) throws(LockstepError) {
        guard !name.isEmpty else {
            throw LockstepError(
                .misuse, "the code migration \(version) has no name", hint: "give it a name that says what it does",
                context: .init(version: version.description))
        }
        self.version = version
        self.name = name
        self.foreignKeysOff = foreignKeysOff
        tablesAllowedToLoseRows = Set(tables.map { SQLName($0) })
        let text = "code\n\(version)\n\(name)\n\(revision)"
        checksums = try MigrationChecksums(bytes: Array(text.utf8), text: text)
        self.up = up
        self.down = down
    }

    /// Whether both stand for the same change, judged by version, name, revision and settings.
    public static func == (one: CodeMigration, other: CodeMigration) -> Bool {
        (one.version, one.name, one.foreignKeysOff)
            == (other.version, other.name, other.foreignKeysOff)
            && one.tablesAllowedToLoseRows == other.tablesAllowedToLoseRows
            && one.checksums == other.checksums && (one.down == nil) == (other.down == nil)
    }
}
