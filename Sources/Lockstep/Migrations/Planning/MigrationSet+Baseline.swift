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
