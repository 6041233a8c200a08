/// One version of a migration set: a file's, or the program's own code.
public enum Migration: Sendable, Equatable {
    /// SQL that somebody wrote into a file.
    case file(MigrationFile)
    /// Swift.
    case code(CodeMigration)

    /// Where in the set's order it belongs.
    public var version: MigrationVersion {
        switch self {
        case .file(let file): file.version
        case .code(let code): code.version
        }
    }

    /// What the ledger calls it.
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

    /// How messages call it: the file's name, or the code's.
    public var title: String {
        switch self {
        case .file(let file): file.fileName
        case .code(let code): "\(code.version) \(code.name) (code)"
        }
    }

    /// How messages call what its way down is in.
    var downTitle: String {
        if case .file(let file) = self { file.downFileName ?? file.fileName } else { title }
    }

    /// Whether it may be applied although a later version already is.
    var mayComeLate: Bool {
        if case .file(let file) = self { file.mayComeLate } else { false }
    }

    var checksums: MigrationChecksums {
        switch self {
        case .file(let file): file.checksums
        case .code(let code): code.checksums
        }
    }

    /// The SQL that leads back, as the ledger records it; code leaves none.
    var recordedDown: String? {
        switch self {
        case .file(let file): file.down?.text
        case .code: nil
        }
    }
}

extension MigrationSet {
    /// All versions, of files and of code, ascending.
    public var migrations: [Migration] {
        let all = files.map(Migration.file) + code.map(Migration.code)
        return code.isEmpty ? all : all.sorted { ($0.version, $0.title) < ($1.version, $1.title) }
    }

    /// The set with versions that are written in Swift beside its files.
    public func adding(_ code: CodeMigration...) -> MigrationSet {
        var set = self
        set.code += code
        return set
    }
}
