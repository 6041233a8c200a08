/// The knowledge that the checks carry from one version to the next, valid as long as no other connection has
/// written in between.
struct GuardCache {
    private let guarding: SchemaGuard
    private let names: TableNames
    /// Whether its counts are out of date: which tables were filled from which is still known.
    private var isStale = false
    private let dataVersion: Int64
    private let schemaVersion: Int64
    private let rowChanges: Int64

    /// The knowledge of `guarding`, saved after the engine's own writes and before the commit: after the commit,
    /// another connection's commit could go unnoticed. The connection's own commit does not change the number.
    init(_ guarding: SchemaGuard, _ connection: borrowing Connection) throws {
        self.guarding = guarding
        names = guarding.names
        dataVersion = try connection.core.dataVersion()
        schemaVersion = try connection.core.schemaVersion()
        rowChanges = connection.rowChanges
    }

    /// The tables whose rows the run has put into others.
    var movedTables: Set<SQLName> { names.sources }

    /// The same without the counts.
    var stale: GuardCache {
        var cache = self
        cache.isStale = true
        return cache
    }

    /// A guard that starts watching now, with the existing knowledge where it is still valid.
    static func current(
        _ known: GuardCache?, _ allowances: Allowances = .init(), _ connection: borrowing Connection,
        part: SchemaGuard.Part? = nil
    ) throws -> SchemaGuard {
        let guarding =
            if let known, !known.isStale,
                try connection.core.dataVersion() == known.dataVersion,
                try connection.core.schemaVersion() == known.schemaVersion
            {
                known.guarding
            } else {
                SchemaGuard(connection)
            }
        if let known {
            if connection.rowChanges != known.rowChanges { guarding.forgetRows() }
            // Names can mean other tables after another connection has changed the schema.
            let isSame = try connection.core.schemaVersion() == known.schemaVersion
            guarding.names = isSame ? known.names : TableNames()
            guarding.beforeRows = known.guarding.beforeRows
        }
        guarding.names.begin()
        guarding.begin(allowances, part)
        return guarding
    }
}
