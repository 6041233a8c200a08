internal import Lockstep

/// A store's calls, whose errors explain what to do if the set was never migrated.
extension ModelStore {
    func reading<Result>(_ body: (borrowing Connection) throws -> Result) throws -> Result {
        try Self.explaining { try store.blocking.read(body) }
    }

    func reading<Result: Sendable>(
        _ body: @escaping @Sendable (borrowing Connection) throws -> Result
    ) async throws -> Result {
        do { return try await store.read(body) } catch { throw Self.explained(error) }
    }

    func writing<Result>(_ body: (borrowing Connection) throws -> Result) throws -> Result {
        try Self.explaining { try store.blocking.write(body) }
    }

    func writing<Result: Sendable>(
        _ body: @escaping @Sendable (borrowing Connection) throws -> Result
    ) async throws -> Result {
        do { return try await store.write(body) } catch { throw Self.explained(error) }
    }

    private static func explaining<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch { throw explained(error) }
    }

    private static func explained(_ error: any Error) -> any Error {
        guard let error = error as? LockstepError, error.code == .sqlFailed,
            let missing = error.context.missing, [.table, .column].contains(missing.kind)
        else { return error }
        return error.located(
            "the schema of \(setName) is not in place",
            advice: "run \(.migrate) with the set \(setName) first",
            context: .init(set: setName))
    }
}
