/// What the checks measured after one version serves as the next version's "before", as long as nobody
/// else has written in between.
struct KnownState {
    let state: SchemaGuard
    let dataVersion: Int64

    init(_ state: SchemaGuard, _ connection: borrowing Connection) throws {
        self.state = state
        dataVersion = try connection.headerField("data_version")
    }

    static func current(
        _ known: KnownState?, _ connection: borrowing Connection
    ) throws -> SchemaGuard {
        if let known, try connection.headerField("data_version") == known.dataVersion {
            return known.state
        }
        return try SchemaGuard(connection)
    }
}
