internal import Lockstep

/// The registry of sealed columns is authentic, and names every column that the migrations seal.
enum ServerRegistryCheck {
    static func run(
        _ sets: [MigrationSet], _ schema: String, _ connection: borrowing ServerConnection
    ) throws -> CheckResult {
        try connection.fields?.refresh(connection)
        return try RegistryCheck.compare(
            ServerLedger(connection).history(connection), sets,
            claimed: ServerRegistry(schema: schema).claimed(connection).map(\.column), connection.fields?.proofs ?? [])
    }
}
