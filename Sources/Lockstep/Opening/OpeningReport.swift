internal import Synchronization

/// What an opening with keyrings did and found.
public struct OpeningReport: Sendable {
    /// Whether this opening made the database.
    public let isNew: Bool
    /// What was migrated.
    public internal(set) var migrations = MigrationReport()
    /// What would be migrated, by the names of the sets: of a store that was opened to be read only.
    public internal(set) var pending: [String: Plan] = [:]  // exact: names of sets
    /// What a keyring could not record, because it cannot be written now. The next opening tries again. Until then, an
    /// older copy of the database, or of the keyring, may not be noticed.
    public internal(set) var notices: [LockstepError] = []

    init(isNew: Bool) { self.isNew = isNew }

    /// Runs a step that writes a keyring. The database is in order without it.
    mutating func noting(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let error as LockstepError
            where [.accessDenied, .readOnly, .full, .inputOutput, .locked].contains(error.code)
        {
            notices.append(error)
        }
    }
}

extension Store {
    /// What its opening did and found; nil for a store that was opened or made with a ``DatabaseKey``.
    public var opening: OpeningReport? { report.withLock { $0 } as? OpeningReport }

    func note(_ opening: OpeningReport) { report.withLock { $0 = opening } }
}
