/// What the checks know after one version serves the next one, as long as nobody else has written in between.
struct GuardCache {
    private let guarding: SchemaGuard
    private let dataVersion: Int64
    private let schemaVersion: Int64
    private let rowChanges: Int64

    /// What `guarding` knows, after the engine's own writes and before the commit: another's commit right
    /// behind that would be taken for known. One's own does not change the number.
    init(_ guarding: SchemaGuard, _ connection: borrowing Connection) throws {
        self.guarding = guarding
        dataVersion = try connection.core.dataVersion()
        schemaVersion = try connection.core.schemaVersion()
        rowChanges = connection.rowChanges
    }

    /// A guard that watches from now on, with what is known already.
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
