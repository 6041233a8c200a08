/// Puts a database whose schema was created by other means under the control of a migration set.
///
/// The versions up to the current one of the schema are recorded as applied; none of them runs. A column for which the
/// version gives no type can have any: databases of one program often differ in that alone. If older versions are
/// recorded already, the later ones are added: so a version that was given up and finished by hand gets its record.
public struct Baseline {
    private let set: MigrationSet
    /// The version that it records, after those before it.
    public let version: MigrationVersion
    private let acceptsDifferences: Bool

    /// - Parameters:
    ///   - set: The set that the schema comes from.
    ///   - version: The current version of the schema.
    ///   - acceptsDifferences: Whether a schema that differs from that version is accepted; `verify` then reports
    ///     the differences.
    public init(_ set: MigrationSet, at version: MigrationVersion, acceptsDifferences: Bool = false) {
        self.set = set
        self.version = version
        self.acceptsDifferences = acceptsDifferences
    }

    /// Records the versions in one transaction and returns their number.
    /// - Throws: ``LockstepError/Code/schemaBroken`` for a schema that differs from the version's schema, with
    ///   the differences; ``LockstepError/Code/alreadyExists`` if the version or a later one of the set is already
    ///   recorded; ``LockstepError/Code/migrationUnfinished`` if a version of the set was begun and not finished;
    ///   ``LockstepError/Code/migrationMissing`` for an unknown version;
    ///   ``LockstepError/Code/foreignApplication``.
    @discardableResult
    public func record(on connection: borrowing Connection) throws -> Int {
        let target = try set.requireBaseline(at: version)
        try Migrator(set).plan(.latest, on: connection).requireSound()
        try Migrator.requireOwnFile(connection, .seconds(60))
        return try connection.write { connection in
            let covered = try set.versions(ofBaseline: version, after: Ledger.history(connection))
            if !acceptsDifferences { try requireSchema(of: target, connection) }
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
        // What the database's own program defines need not be there.
        let fresh = try StandIns.adding(to: .init()) { options in
            let fresh = try Connection.inMemory(options)
            _ = try Migrator(set).run(.version(target.version), on: fresh)
            return fresh
        }
        let carriesOthers = try Ledger.entries(connection).contains { $0.set != set.name }
        let found = try SchemaSnapshot(connection)
            .differences(from: SchemaSnapshot(fresh), takingNoTypeForAny: true)
        let differences = found.without(tablesOf: [set])
            .filter { !(carriesOthers && $0.change == .unexpected) }
        guard !differences.isEmpty else { return }
        throw LockstepError(
            .schemaBroken, "the schema differs from \(set.name) \(target.version): \(differences.summary)",
            hint: "choose the current version of the schema, or accept the differences"
                + differences.firstDetail,
            context: .init(set: set.name, target.version))
    }
}
