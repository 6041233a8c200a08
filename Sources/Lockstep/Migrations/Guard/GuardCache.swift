/// The knowledge that the checks carry from one version to the next, valid as long as no other connection has
/// written in between.
struct GuardCache {
    private let guarding: SchemaGuard
    private let dataVersion: Int64
    private let schemaVersion: Int64
    private let rowChanges: Int64

    /// What the migration that was checked last has written.
    var sealedWrites: SealedWrites { guarding.progress.sealedWrites }

    /// The knowledge of `guarding`, saved after the engine's own writes and before the commit: after the commit,
    /// another connection's commit could go unnoticed. The connection's own commit does not change the number.
    init(_ guarding: SchemaGuard, _ connection: borrowing Connection) throws {
        self.guarding = guarding
        dataVersion = try connection.core.dataVersion()
        schemaVersion = try connection.core.schemaVersion()
        rowChanges = connection.rowChanges
    }

    /// A guard that starts watching now, with the existing knowledge where it is still valid.
    static func current(
        _ known: GuardCache?, _ connection: borrowing Connection
    ) throws -> SchemaGuard {
        let guarding =
            if let known, try connection.core.dataVersion() == known.dataVersion,
                try connection.core.schemaVersion() == known.schemaVersion
            {
                known.guarding
            } else {
                SchemaGuard(connection)
            }
        if let known, connection.rowChanges != known.rowChanges { guarding.forgetRows() }
        guarding.begin()
        return guarding
    }
}
