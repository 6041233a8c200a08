internal import SystemPackage

/// The database that scripts are tried on: the schema alone, or, where the outcome depends on rows, all of it.
struct TrialCopy: ~Copyable {
    let connection: Connection
    /// Whether it has the rows.
    let hasRows: Bool
    /// The copy of a database that is too large for memory.
    private let file: RehearsalCopy?

    /// The largest database that is copied into memory, in bytes.
    private static let largestInMemory = 64 << 20

    private init(_ connection: consuming Connection, hasRows: Bool, file: consuming RehearsalCopy? = nil) {
        self.connection = connection
        self.hasRows = hasRows
        self.file = file
    }

    /// A copy of the schema in memory.
    static func ofSchema(of original: borrowing Connection) throws -> TrialCopy {
        // What the database's own program defines need not be there.
        let copy = try StandIns.adding(to: options(original)) { options in
            let copy = try Connection.inMemory(options)
            try SchemaCopy.run(from: original, to: copy)
            return copy
        }
        return TrialCopy(copy, hasRows: false)
    }

    /// A copy of all pages: in memory, or, if the database is large, in a hidden file beside it, under a key that is
    /// never stored.
    static func ofAll(_ original: borrowing Connection) throws -> TrialCopy {
        let pages: Int = try original.value("PRAGMA main.page_count") ?? 0
        let bytes = pages * Profile.current.pageSize
        guard bytes > largestInMemory else {
            let copy = try Connection.inMemory(options(original))
            try PageCopy.copyPages(original, into: copy)
            return TrialCopy(copy, hasRows: true)
        }
        let path = original.path
        let file = try RehearsalCopy(of: path, in: AtomicFile.parent(of: path))
        try DiskSpace.require(
            DiskSpace.needed(forCopyOf: bytes) + bytes, for: "a trial of migrations on \(path)",
            in: AtomicFile.parent(of: path)
        ) { try FileAccess.freeSpace(in: $0) }
        let key = try DatabaseKey.ephemeral()
        try PageCopy.copyPages(original, to: file.path, as: .copy, key) { _ in }
        let copy = try Connection.open(file.path, key: key, options: options(original))
        return TrialCopy(copy, hasRows: true, file: file)
    }

    /// A script can run without end on a copy, too.
    private static func options(_ original: borrowing Connection) -> ConnectionOptions {
        var options = ConnectionOptions()
        options.deadline = original.core.timer?.deadline
        options.progress = original.core.hooks?.progress
        return options
    }
}
