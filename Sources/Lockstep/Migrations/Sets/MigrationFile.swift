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

    private var content: Content { kept.content }
    /// Plans copy their migrations from list to list, and there are sets of a thousand.
    private let kept: Kept

    private struct Content: Sendable, Equatable {
        let version: MigrationVersion
        let name: String
        let fileName: String
        let downFileName: String?
        let kind: Kind
        let mayComeLate: Bool
        let checksums: MigrationChecksums
        var up: MigrationScript
        let down: MigrationScript?
    }

    private final class Kept: Sendable {
        let content: Content
        init(_ content: Content) { self.content = content }
    }

    private init(_ content: Content) { kept = Kept(content) }

    /// The same file with another way up.
    func with(up: MigrationScript) -> MigrationFile {
        var content = content
        content.up = up
        return MigrationFile(content)
    }

    /// By all that they say.
    public static func == (one: MigrationFile, other: MigrationFile) -> Bool {
        one.kept === other.kept || one.content == other.content
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
        let content = Content(
            version: version,
            // The ledger and messages want something to call it.
            name: name.isEmpty ? String(source.stem ?? source.name) : String(name),
            fileName: source.path, downFileName: downFileName, kind: kind, mayComeLate: mayComeLate,
            checksums: try MigrationChecksums(
                bytes: source.bytes, text: source.text(), markers: markers),
            up: up, down: down)
        self.init(content)
    }
}
