/// One version of a migration set: a file, or code of the program.
public enum Migration: Sendable, Equatable {
    /// SQL from a file.
    case file(MigrationFile)
    /// Swift code.
    case code(CodeMigration)

    /// Its place in the set's order.
    public var version: MigrationVersion {
        switch self {
        case .file(let file): file.version
        case .code(let code): code.version
        }
    }

    /// Its name in the ledger.
    public var name: String {
        switch self {
        case .file(let file): file.name
        case .code(let code): code.name
        }
    }

    /// Whether it can be undone.
    public var isReversible: Bool {
        switch self {
        case .file(let file): file.isReversible
        case .code(let code): code.down != nil
        }
    }

    /// Its name in messages: the name of the file, or of the code.
    public var title: String {
        switch self {
        case .file(let file): file.fileName
        case .code(let code): "\(code.version) \(code.name) (code)"
        }
    }

    /// The name in messages of the file or code that contains the way down.
    var downTitle: String {
        if case .file(let file) = self { file.downFileName ?? file.fileName } else { title }
    }

    /// Where one of its ways comes from.
    package func origin(in set: String, isUp: Bool = true) -> ScriptOrigin {
        let title = isUp ? title : downTitle
        let isFile = if case .file = self { true } else { false }
        return ScriptOrigin(
            "\(set)/\(title)", .init(set: set, version, file: isFile ? title : nil))
    }

    /// Whether it can be applied after a later version was applied.
    var mayComeLate: Bool {
        if case .file(let file) = self { file.mayComeLate } else { false }
    }

    package var checksums: MigrationChecksums {
        switch self {
        case .file(let file): file.checksums
        case .code(let code): code.checksums
        }
    }

    /// The SQL of the way down, as the ledger records it; nil for code.
    package var recordedDown: String? {
        switch self {
        case .file(let file): file.down?.text
        case .code: nil
        }
    }
}

extension MigrationSet {
    /// All versions, of files and of code, in ascending order.
    public var migrations: [Migration] {
        let all = files.map(Migration.file) + code.map(Migration.code)
        return code.isEmpty ? all : all.sorted { ($0.version, $0.title) < ($1.version, $1.title) }
    }

    /// The set with versions written in Swift added to its files.
    public func adding(_ code: CodeMigration...) -> MigrationSet {
        var set = self
        set.code += code
        return set
    }
}
