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
    public var version: MigrationVersion { content.version }
    /// What the file calls it, without version and ending.
    public var name: String { content.name }
    /// The file's path in the folder: its name, or in some layouts folders and its name.
    public var fileName: String { content.fileName }
    /// The path of the file that leads back, if that is another one.
    public var downFileName: String? { content.downFileName }
    /// What role it plays.
    public var kind: Kind { content.kind }
    /// Whether it may be applied although a later version already is.
    public var mayComeLate: Bool { content.mayComeLate }
    /// Of the file that leads up: the way down is kept in the ledger.
    var checksums: MigrationChecksums { content.checksums }
    var up: MigrationScript { content.up }
    var down: MigrationScript? { content.down }

    /// Plans copy their migrations from list to list, and there are sets of a thousand.
    private let content: Content

    private final class Content: Sendable {
        let version: MigrationVersion
        let name: String
        let fileName: String
        let downFileName: String?
        let kind: Kind
        let mayComeLate: Bool
        let checksums: MigrationChecksums
        let up: MigrationScript
        let down: MigrationScript?

        init(
            _ version: MigrationVersion, name: String, fileName: String, downFileName: String?,
            kind: Kind, mayComeLate: Bool, checksums: MigrationChecksums, up: MigrationScript,
            down: MigrationScript?
        ) {
            (self.version, self.name, self.fileName) = (version, name, fileName)
            (self.downFileName, self.kind) = (downFileName, kind)
            (self.mayComeLate, self.checksums) = (mayComeLate, checksums)
            (self.up, self.down) = (up, down)
        }
    }

    /// By all that they say.
    public static func == (one: MigrationFile, other: MigrationFile) -> Bool {
        if one.content === other.content { return true }
        return one.version == other.version && one.name == other.name
            && one.fileName == other.fileName && one.downFileName == other.downFileName
            && one.kind == other.kind && one.mayComeLate == other.mayComeLate
            && one.checksums == other.checksums && one.up == other.up && one.down == other.down
    }

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
        content = Content(
            version,
            // The ledger and messages want something to call it.
            name: name.isEmpty ? String(source.stem ?? source.name) : String(name),
            fileName: source.path, downFileName: downFileName, kind: kind, mayComeLate: mayComeLate,
            checksums: try MigrationChecksums(
                bytes: source.bytes, text: source.text(), markers: markers),
            up: up, down: down)
    }
}
