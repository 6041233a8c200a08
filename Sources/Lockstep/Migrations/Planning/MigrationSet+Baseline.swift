extension MigrationSet {
    /// The set as it applies to a database with this ledger. A new database can begin with a baseline; the
    /// versions that the baseline replaces are then not pending.
    /// - Parameters:
    ///   - ledger: The versions that the database has.
    ///   - target: The target version; a baseline after it is not used.
    public func applicable(
        to ledger: [LedgerEntry], upTo target: MigrationVersion? = nil
    ) -> MigrationSet {
        let applied = ledger.filter { $0.set == name }
        let baseline = baselines.last { baseline in
            guard !applied.isEmpty else { return target.map { baseline.version <= $0 } ?? true }
            return applied.contains {
                $0.version == baseline.version
                    && $0.checksums.tokens == baseline.checksums.tokens
            }
        }
        guard let baseline else { return self }
        return MigrationSet(self, from: baseline)
    }
}

extension MigrationSet {
    /// The version that a baseline is to record.
    /// - Throws: ``LockstepError/Code/migrationMissing`` for an unknown version.
    package func requireBaseline(at version: MigrationVersion) throws(LockstepError) -> Migration {
        if let target = migrations.first(where: { $0.version == version }) { return target }
        throw LockstepError(
            .migrationMissing, "the set \(name) has no version \(version)",
            hint: "its newest version is \(migrations.last?.version.description ?? "none")",
            context: .init(set: name, version))
    }

    /// The versions that a baseline records: those up to its own without a record.
    /// - Throws: ``LockstepError/Code/alreadyExists`` if this version or a later one is recorded;
    ///   ``LockstepError/Code/migrationUnfinished`` if a version of the set was begun and not finished.
    package func versions(
        ofBaseline version: MigrationVersion, after history: MigrationHistory
    ) throws(LockstepError) -> [Migration] {
        // exact: names of sets
        if let begun = history.unfinished.first(where: { $0.set == name }) { throw begun.mustEnd }
        let recorded = Set(history.entries.filter { $0.set == name }.map(\.version))
        guard recorded.allSatisfy({ $0 < version }) else {
            throw LockstepError(
                .alreadyExists, "\(name) \(version) or a later version is already recorded",
                hint: "migrate continues after them", context: .init(set: name))
        }
        return migrations.filter { $0.version <= version && !recorded.contains($0.version) }
    }
}
