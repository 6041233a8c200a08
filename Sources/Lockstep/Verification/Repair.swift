/// Accepts migration files that were edited after they were applied: the ledger records them as they are now.
///
/// A file is accepted only if the files as they are now make the schema that the database has: all of them run on an
/// empty database in memory, and every object is compared. Only the ledger changes, never the schema or a row. What an
/// edited file does to rows is not compared: they are what the file that ran has made of them.
///
/// Versions whose files are gone are not accepted, and neither is a version in progress.
public struct Repair {
    private let sets: [MigrationSet]
    private let schema: ConnectionOptions

    /// - Parameters:
    ///   - sets: The sets that the database was migrated with, all of them.
    ///   - schema: Supplies the functions and collations that the migrations need.
    public init(sets: [MigrationSet], schema: ConnectionOptions = .init()) {
        self.sets = sets
        self.schema = schema
    }

    /// An applied version whose file differs from the ledger.
    public struct Change: Sendable, Hashable {
        /// The name of its set.
        public let set: String
        /// Its version.
        public let version: MigrationVersion
        /// The name in its file name.
        public let name: String
        /// What differs.
        public let parts: [Part]

        /// A part of a version's record.
        public enum Part: String, Sendable, Hashable {
            /// The statements of the file, or the revision of code.
            case statements
            /// Comments, white space or line endings.
            case formatting
            /// The name.
            case name
            /// The way down.
            case down
        }
    }

    private struct Finding {
        let entry: LedgerEntry
        let migration: Migration
        let change: Change
    }

    /// What ``apply(on:)`` would record; empty if the ledger agrees with the files.
    /// - Throws: ``LockstepError/Code/migrationChanged`` if the files make another schema than the database has, with
    ///   the differences, or for a record that the ledger cannot have got from a file;
    ///   ``LockstepError/Code/migrationMissing`` if the file of an applied version is gone;
    ///   ``LockstepError/Code/migrationUnfinished``; ``LockstepError/Code/keyUnavailable`` for a record with a MAC
    ///   whose key the connection lacks; the error of a file that does not run on an empty database.
    public func changes(on connection: borrowing Connection) throws -> [Change] {
        try connection.read { connection in try findings(connection).map(\.change) }
    }

    /// Records the files as they are now, in one transaction.
    /// - Returns: What was recorded.
    /// - Throws: as ``changes(on:)``, then nothing is recorded.
    @discardableResult
    public func apply(on connection: borrowing Connection) throws -> [Change] {
        try connection.write { connection in
            let found = try findings(connection)
            try connection.with(rights: .engine) {
                for finding in found {
                    try Ledger.replace(finding.entry, by: finding.migration, connection)
                }
            }
            return found.map(\.change)
        }
    }

    private func findings(_ connection: borrowing Connection) throws -> [Finding] {
        let history = try Ledger.history(connection)
        if let begun = history.unfinished.first {
            throw begun.mustEnd
        }
        let found = try sets.flatMap { set in
            try requireFiles(set, history)
            return try differences(set, history)
        }
        guard !found.isEmpty else { return [] }
        try requireSchema(connection, found)
        let codes = LedgerCodes(connection)
        for finding in found { try codes.requireKeys(of: finding.entry) }
        return found
    }

    /// Which file is a version's must be certain.
    private func requireFiles(_ set: MigrationSet, _ history: MigrationHistory) throws {
        let findings = Plan(set, history: history, target: .latest).findings
        let fatal: Set<LockstepError.Code> = [.migrationMissing, .versionDuplicate]
        if let finding = findings.first(where: { $0.isFatal && fatal.contains($0.error.code) }) {
            throw finding.error
        }
    }

    private func differences(
        _ set: MigrationSet, _ history: MigrationHistory
    ) throws -> [Finding] {
        let files = set.applicable(to: history.entries).migrations
        return try history.entries.filter { $0.set == set.name }.compactMap { entry in
            guard let migration = files.first(where: { $0.version == entry.version }) else {
                return nil
            }
            let differences = migration.differences(from: entry)
            guard !differences.contains(.checksums) else {
                throw PlanFindings.error(.checksums, migration, set)
            }
            guard !differences.isEmpty else { return nil }
            let parts = differences.compactMap(Change.Part.init)
            return Finding(
                entry: entry, migration: migration,
                change: Change(set: set.name, version: entry.version, name: migration.name, parts: parts))
        }
    }

    private func requireSchema(
        _ connection: borrowing Connection, _ found: [Finding]
    ) throws {
        let differences = try DriftCheck.differences(of: SchemaSnapshot(connection), on: connection, sets, schema)
        guard !differences.isEmpty else { return }
        let title = found[0].migration.title
        throw LockstepError(
            .migrationChanged, "the files make another schema than the database has: \(differences.summary)",
            hint: "restore \(title) as it was applied, and put the change into a new version" + differences.firstDetail,
            context: .init(set: found[0].change.set, found[0].change.version))
    }
}

extension Repair.Change.Part {
    fileprivate init?(_ difference: RecordedDifference) {
        switch difference {
        case .statements: self = .statements
        case .spacing, .lineEndings: self = .formatting
        case .name: self = .name
        case .down: self = .down
        case .checksums: return nil
        }
    }
}
