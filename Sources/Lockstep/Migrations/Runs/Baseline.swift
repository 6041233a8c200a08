/// Puts a database whose schema was created by other means under the control of a migration set.
///
/// The versions up to the current one of the schema are recorded as applied; none of them runs.
public struct Baseline {
    private let set: MigrationSet
    private let version: MigrationVersion
    private let acceptsDifferences: Bool

    /// - Parameters:
    ///   - set: The set that the schema comes from.
    ///   - version: The current version of the schema.
    ///   - acceptsDifferences: Whether a schema that differs from that version is accepted; `verify` then reports
    ///     the differences.
    public init(_ set: MigrationSet, at version: MigrationVersion, acceptsDifferences: Bool = false)
    {
        self.set = set
        self.version = version
        self.acceptsDifferences = acceptsDifferences
    }

    /// Records the versions in one transaction and returns their number.
    /// - Throws: ``LockstepError/Code/schemaBroken`` for a schema that differs from the version's schema, with
    ///   the differences; ``LockstepError/Code/alreadyExists`` if versions of the set are already recorded;
    ///   ``LockstepError/Code/migrationMissing`` for an unknown version;
    ///   ``LockstepError/Code/foreignApplication``.
    @discardableResult
    public func record(on connection: borrowing Connection) throws -> Int {
        guard let target = set.migrations.first(where: { $0.version == version }) else {
            throw LockstepError(
                .migrationMissing, "the set \(set.name) has no version \(version)",
                hint: "its newest version is \(set.migrations.last?.version.description ?? "none")",
                context: .init(set: set.name, version))
        }
        try Migrator(set).plan(.latest, on: connection).requireSound()
        try Migrator.requireOwnFile(connection, .seconds(60))
        return try connection.write { connection in
            guard try !Ledger.entries(connection).contains(where: { $0.set == set.name }) else {
                throw LockstepError(
                    .alreadyExists, "versions of \(set.name) are already recorded",
                    hint: "migrate continues after them", context: .init(set: set.name))
            }
            if !acceptsDifferences { try requireSchema(of: target, connection) }
            let covered = set.migrations.filter { $0.version <= version }
            try connection.with(rights: .engine) {
                try Ledger.prepare(connection)
                for migration in covered {
                    try Ledger.record(migration, of: set.name, duration: 0, connection)
                }
            }
            return covered.count
        }
    }

    /// Compares the schema with a new build of the versions. Additional objects are accepted if versions of other
    /// sets are recorded.
    private func requireSchema(
        of target: Migration, _ connection: borrowing Connection
    ) throws {
        let fresh = try Connection.inMemory()
        _ = try Migrator(set).run(.version(target.version), on: fresh)
        let carriesOthers = try !Ledger.entries(connection).isEmpty
        let differences = try SchemaSnapshot(connection).differences(from: SchemaSnapshot(fresh))
            .filter { !(carriesOthers && $0.change == .unexpected) }
        guard let first = differences.first else { return }
        let list = differences.prefix(5).map { "\($0.type) \($0.name) is \($0.change.rawValue)" }
        let more = differences.count > 5 ? " and \(differences.count - 5) more" : ""
        throw LockstepError(
            .schemaBroken,
            "the schema differs from \(set.name) \(target.version): "
                + list.joined(separator: ", ") + more,
            hint: "choose the current version of the schema, or accept the differences"
                + (first.details.first.map { "; the first difference: \($0)" } ?? ""),
            context: .init(set: set.name, target.version))
    }
}
