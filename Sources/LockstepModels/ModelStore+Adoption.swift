public import Lockstep
public import SystemPackage

extension ModelStore {
    /// Makes a database at `path` from a file of the model's original program, a plaintext SQLite file in UTF-8 or
    /// UTF-16: copies it, records it as version 1, migrates it to the newest version, and opens it. The original is
    /// only read. Blocks.
    /// - Throws: `LockstepError.Code.alreadyExists` if a file exists at `path`; `LockstepError.Code.schemaBroken`
    ///   if the original's schema is not that of version 1; the errors of
    ///   `Adoption`. After the last two no file is left at `path`.
    public static func adopt(
        plaintext original: FilePath, into path: FilePath, key: borrowing DatabaseKey, options: StoreOptions = .init()
    ) throws -> Self {
        let set = try ModelMigrations.set(setName)
        try PendingDatabase.requireFree(path)
        let pending = try PendingDatabase(for: path, creating: false)
        try Adoption(of: original, into: pending.path, options: options.connection).run(key: key)
        try migrate(pending.path, key, set, options.connection)
        try pending.place()
        return try open(path, key: key, options: options)
    }

    /// Migrates it from version 1, and closes it.
    private static func migrate(
        _ path: FilePath, _ key: borrowing DatabaseKey, _ set: MigrationSet, _ options: ConnectionOptions
    ) throws {
        var options = options
        if !options.fieldKeys.isEmpty { options.mayBeUnsealed = true }
        let connection = try Connection.open(path, key: key, options: options)
        if let first = set.files.first {
            try Baseline(set, at: first.version).record(on: connection)
        }
        _ = try Migrator(set).run(on: connection)
    }
}
