/// Accepts migration files that were edited after they were applied: the ledger records them as they are now.
///
/// A file is accepted only if the files as they are now make the schema that the database has: all of them run on an
/// empty database in memory, and every object is compared. Only the ledger changes, never the schema or a row. What an
/// edited file does to rows is not compared: they are what the file that ran has made of them.
///
/// A file that was renamed to another version is that of the version whose file is gone if it is the only one with the same
/// text, no other version has run it, and the versions stay in their order. Other versions whose files are gone are not
/// accepted, and neither is a version in progress.
public struct Repair {
    private let sets: [MigrationSet]
    private let schema: ConnectionOptions
    private let renaming: SetRenaming?

    /// - Parameters:
    ///   - sets: The sets that the database was migrated with, all of them.
    ///   - renamed: A set that had another name when the database was migrated. What the database records of that name
    ///     becomes a record of the set.
    ///   - schema: Supplies the functions and collations that the migrations need.
    public init(sets: [MigrationSet], renamed: SetRenaming? = nil, schema: ConnectionOptions = .init()) {
        self.sets = sets
        renaming = renamed
        self.schema = schema
    }

    /// An applied version whose file differs from the ledger.
    public struct Change: Sendable, Hashable {
        /// The name of its set.
        public let set: String
        /// Its version, as the ledger has it.
        public let version: MigrationVersion
        /// The version that its file has now.
        public let newVersion: MigrationVersion
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
            /// The version.
            case version
            /// The name of the set.
            case set
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
                    try Ledger.replace(finding.entry, by: finding.migration, of: finding.change.set, connection)
                }
                try renaming?.moveRepeatables(connection)
            }
            return found.map(\.change)
        }
    }

    private func findings(_ connection: borrowing Connection) throws -> [Finding] {
        let stored = try Ledger.history(connection)
        if let begun = stored.unfinished.first {
            throw begun.mustEnd
        }
        let history = try renaming?.applied(to: stored, sets) ?? stored
        let renamed = sets.reduce(into: [Int64: Migration]()) { renamed, set in
            renamed.merge(Self.renamed(set, history)) { first, _ in first }
        }
        let now = MigrationHistory(
            entries: history.entries.map { entry in renamed[entry.position].map(entry.withVersion(of:)) ?? entry },
            unfinished: history.unfinished, repeated: history.repeated)
        let found = try sets.flatMap { set in
            try requireFiles(set, now)
            return try differences(set, stored, now)
        }
        guard !found.isEmpty else { return [] }
        try requireSchema(connection, found, now)
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

    /// The files of recorded versions that are under another version now, by the places of the versions in the ledger; none
    /// if that would change the order of the versions.
    private static func renamed(_ set: MigrationSet, _ history: MigrationHistory) -> [Int64: Migration] {
        let entries = history.entries.filter { $0.set == set.name }
        let migrations = set.applicable(to: history.entries).migrations
        let gone = entries.filter { entry in !migrations.contains { $0.version == entry.version } }
        let other = migrations.filter { migration in !entries.contains { $0.version == migration.version } }
        var renamed: [Int64: Migration] = [:]
        for entry in gone where gone.count(where: { $0.checksums.text == entry.checksums.text }) == 1 {
            let files = other.filter { $0.checksums.text == entry.checksums.text }
            guard files.count == 1, case .file = files[0] else { continue }
            renamed[entry.position] = files[0]
        }
        let versions = entries.sorted { $0.version < $1.version }.map { renamed[$0.position]?.version ?? $0.version }
        return zip(versions, versions.dropFirst()).allSatisfy { $0 < $1 } ? renamed : [:]
    }

    private func differences(
        _ set: MigrationSet, _ stored: MigrationHistory, _ now: MigrationHistory
    ) throws -> [Finding] {
        let files = set.applicable(to: now.entries).migrations
        let pairs = zip(stored.entries, now.entries).filter { $0.1.set == set.name }  // exact: names of sets
        return try pairs.compactMap { recorded, entry in
            guard let migration = files.first(where: { $0.version == entry.version }) else {
                return nil
            }
            let differences = migration.differences(from: entry)
            guard !differences.contains(.checksums) else {
                throw PlanFindings.error(.checksums, migration, set)
            }
            let moved: [Change.Part] =
                (recorded.set == entry.set ? [] : [.set]) + (recorded.version == entry.version ? [] : [.version])
            let parts = moved + differences.compactMap(Change.Part.init)
            guard !parts.isEmpty else { return nil }
            return Finding(
                entry: recorded, migration: migration,
                change: Change(
                    set: set.name, version: recorded.version, newVersion: entry.version, name: migration.name,
                    parts: parts))
        }
    }

    private func requireSchema(
        _ connection: borrowing Connection, _ found: [Finding], _ now: MigrationHistory
    ) throws {
        let differences = try DriftCheck.differences(
            of: SchemaSnapshot(connection), on: connection, sets, schema, as: now)
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

extension LedgerEntry {
    /// The same record under the version that its file has now.
    fileprivate func withVersion(of migration: Migration) -> LedgerEntry { with(set: set, migration.version) }

    /// The same record of another set or version, without its code.
    func with(set: String, _ version: MigrationVersion) -> LedgerEntry {
        LedgerEntry(
            set: set, version: version, name: name, checksums: checksums, down: down, appliedAt: appliedAt,
            duration: duration, toolVersion: toolVersion, position: position)
    }
}
