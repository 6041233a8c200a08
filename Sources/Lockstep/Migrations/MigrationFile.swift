/// One version of a migration set, as its files say it.
///
/// In the native layout that is one file: `0003_add_ratings.sql`, in which `-- lockstep: up` opens the SQL
/// that leads to the version and `-- lockstep: down` the SQL that leads back. A version without a way down
/// is irreversible.
public struct MigrationFile: Sendable, Equatable {
    /// What role a file plays in its set.
    public enum Kind: Sendable, Equatable {
        /// It leads from the version before it to its own.
        case versioned
        /// It has no version, and is run again whenever it has changed, after all versions.
        case repeatable
        /// It leads from an empty database to its version, in the place of all files up to that.
        case baseline
    }

    /// Where in the set's order it belongs; ``MigrationVersion/unversioned`` for a repeatable.
    public let version: MigrationVersion
    /// What the file calls it, without version and ending.
    public let name: String
    /// The file's path in the folder: its name, or in some layouts folders and its name.
    public let fileName: String
    /// The path of the file that leads back, if that is another one.
    public let downFileName: String?
    /// What role it plays.
    public let kind: Kind
    /// Whether it may be applied although a later version already is.
    public let mayComeLate: Bool
    /// Of the file that leads up: the way down is kept in the ledger.
    let checksums: MigrationChecksums
    var up: MigrationScript
    let down: MigrationScript?

    /// Whether the version can be undone.
    public var isReversible: Bool { down != nil }

    /// Whether the way up runs inside a transaction.
    public var runsInTransaction: Bool { up.runsInTransaction }

    /// Whether it is run again whenever it has changed.
    public var isRepeatable: Bool { kind == .repeatable }

    /// Whether it stands for all versions up to its own.
    public var isBaseline: Bool { kind == .baseline }

    /// Parses the bytes of a file in the native layout.
    /// - Throws: ``LockstepError/Code/migrationMalformed`` with file and line.
    public init(fileName: String, bytes: [UInt8]) throws(LockstepError) {
        self = try NativeLayout.file(MigrationSource(path: fileName, bytes: bytes))
    }

    /// A version whose way up is `source`, and whose way down is in it or in the file `downFileName`.
    init(
        _ version: MigrationVersion, name: Substring, _ source: MigrationSource,
        up: MigrationScript, down: MigrationScript? = nil, downFileName: String? = nil,
        kind: Kind = .versioned, mayComeLate: Bool = false,
        markers: (String) -> String? = { _ in nil }
    ) throws(LockstepError) {
        self.version = version
        // The ledger and messages want something to call it.
        self.name = name.isEmpty ? String(source.stem ?? source.name) : String(name)
        fileName = source.path
        self.downFileName = downFileName
        self.kind = kind
        self.mayComeLate = mayComeLate
        self.up = up
        self.down = down
        checksums = try MigrationChecksums(
            bytes: source.bytes, text: source.text(), markers: markers)
    }
}
