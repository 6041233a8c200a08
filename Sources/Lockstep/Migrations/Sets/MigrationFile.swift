/// One version of a migration set, as read from its files.
///
/// In the native layout this is one file, such as `0003_add_ratings.sql`: `-- lockstep: up` starts the SQL that
/// migrates to the version, and `-- lockstep: down` the SQL that undoes it. A version without a way down is
/// irreversible.
public struct MigrationFile: Sendable, Equatable {
    /// The role of a file in its set.
    public enum Kind: Sendable, Equatable {
        /// It migrates from the previous version to its own.
        case versioned
        /// It has no version. It runs after all versions, and runs again whenever it has changed.
        case repeatable
        /// It migrates from an empty database to its version and replaces all files up to that version.
        case baseline
    }

    /// Its place in the set's order; ``MigrationVersion/unversioned`` for a repeatable migration.
    public var version: MigrationVersion { content.version }
    /// The name in the file name, without version and extension.
    public var name: String { content.name }
    /// The path of the file in the folder: a file name, in some layouts preceded by folders.
    public var fileName: String { content.fileName }
    /// The path of the file with the way down, if it is a separate file.
    public var downFileName: String? { content.downFileName }
    /// Its role in the set.
    public var kind: Kind { content.kind }
    /// Whether it can be applied after a later version was applied.
    public var mayComeLate: Bool { content.mayComeLate }
    /// The checksums of the file with the way up; the ledger keeps the way down.
    package var checksums: MigrationChecksums { content.checksums }
    package var up: MigrationScript { content.up }
    package var down: MigrationScript? { content.down }

    /// The rules that divide its SQL into tokens.
    var lexis: Lexis { content.lexis }

    private var content: Content { kept.content }
    /// A reference, because plans copy migrations between lists and a set can have a thousand of them.
    private let kept: Kept

    private struct Content: Sendable, Equatable {
        let version: MigrationVersion
        @Exact private(set) var name: String
        @Exact private(set) var fileName: String
        @Exact private(set) var downFileName: String?
        let kind: Kind
        let mayComeLate: Bool
        let lexis: Lexis
        let checksums: MigrationChecksums
        var up: MigrationScript
        let down: MigrationScript?
    }

    private final class Kept: Sendable {
        let content: Content
        init(_ content: Content) { self.content = content }
    }

    private init(_ content: Content) { kept = Kept(content) }

    /// The same file with a different way up.
    func with(up: MigrationScript) -> MigrationFile {
        var content = content
        content.up = up
        return MigrationFile(content)
    }

    /// Compares the whole content.
    public static func == (one: MigrationFile, other: MigrationFile) -> Bool {
        one.kept === other.kept || one.content == other.content
    }

    /// Whether the version can be undone.
    public var isReversible: Bool { down != nil }

    /// Whether the way up runs inside a transaction.
    public var runsInTransaction: Bool { up.runsInTransaction }

    /// Whether it runs again whenever it has changed.
    public var isRepeatable: Bool { kind == .repeatable }

    /// Whether it replaces all versions up to its own.
    public var isBaseline: Bool { kind == .baseline }

    /// Parses the bytes of a file in the native layout.
    /// - Throws: ``LockstepError/Code/migrationMalformed`` with file and line.
    public init(fileName: String, bytes: [UInt8]) throws(LockstepError) {
        self = try NativeLayout.file(MigrationSource(path: fileName, bytes: bytes))
    }

    /// A version whose way up is in `source` and whose way down is in `source` or in the file `downFileName`.
    init(
        _ version: MigrationVersion, name: Substring, _ source: MigrationSource, up: MigrationScript,
        down: MigrationScript? = nil, downFileName: String? = nil, kind: Kind = .versioned, mayComeLate: Bool = false,
        markers: (String) -> String? = { _ in nil }
    ) throws(LockstepError) {
        let content = Content(
            version: version,
            // The ledger and messages need a name.
            name: name.isEmpty ? String(source.stem ?? source.name) : String(name), fileName: source.path,
            downFileName: downFileName, kind: kind, mayComeLate: mayComeLate, lexis: source.engine.lexis,
            checksums: try MigrationChecksums(
                bytes: source.bytes, text: source.text(), source.engine.lexis, markers: markers), up: up, down: down)
        self.init(content)
    }
}
