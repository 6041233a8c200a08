extension MigrationSet {
    /// The set as it is for a database with this ledger: a fresh one may begin with a baseline, and then
    /// the versions that it stands for are not waiting.
    /// - Parameter target: How far the database is to be led; a baseline beyond it is of no use.
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
