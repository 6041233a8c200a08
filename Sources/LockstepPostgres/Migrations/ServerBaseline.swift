public import Lockstep

/// Puts a schema that was made by other means under a migration set's control: versions are recorded as applied, and
/// none of their SQL runs.
///
/// The schema is not compared with the versions. The caller asserts that they are the same.
public struct ServerBaseline {
    private let set: MigrationSet
    private let version: MigrationVersion

    /// - Parameters:
    ///   - set: The set, read for `DatabaseEngine.postgres`.
    ///   - version: The version of the schema.
    public init(_ set: MigrationSet, at version: MigrationVersion) {
        self.set = set
        self.version = version
    }

    /// Records all versions up to this one that have no record yet.
    /// - Returns: Their number.
    /// - Throws: `LockstepError.Code.migrationMissing` for an unknown version;
    ///   `LockstepError.Code.alreadyExists` if this version or a later one is recorded; the errors of a plan, and the
    ///   server's.
    @discardableResult
    public func record(on connection: borrowing ServerConnection) throws -> Int {
        try set.require(.postgres)
        guard set.migrations.contains(where: { $0.version == version }) else {
            throw LockstepError(
                .migrationMissing, "the set \(set.name) has no version \(version)",
                hint:
                    "its newest version is \(set.migrations.last?.version.description ?? "none")",
                context: .init(set: set.name, version: version.description))
        }
        let ledger = try ServerLedger(connection)
        return try connection.transaction { connection in
            try ledger.lock(connection)
            var history = try ledger.history(connection, duringCopy: false)
            try Plan(set, history: history, target: .latest).requireSound()
            let recorded = Set(history.entries.filter { $0.set == set.name }.map(\.version))
            guard recorded.allSatisfy({ $0 < version }) else {
                throw LockstepError(
                    .alreadyExists,
                    "\(set.name) \(version) or a later version is already recorded",
                    hint: "migrate continues after them", context: .init(set: set.name))
            }
            let covered = set.migrations.filter {
                $0.version <= version && !recorded.contains($0.version)
            }
            try ledger.prepare(connection)
            for migration in covered {
                try ledger.record(
                    migration, of: set.name, after: history, duration: 0, connection)
                history = try ledger.history(connection)
            }
            return covered.count
        }
    }
}
