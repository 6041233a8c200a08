internal import Lockstep

/// What a session has set, as it was when a run began. A version stands alone: what it sets for the session, its role,
/// temporary tables, locks, cursors and prepared statements do not reach the next one, which would otherwise do one
/// thing in the same run and another in a run of its own.
struct SessionState {
    private let settings: [(name: String, value: String)]
    private let role: String
    private let hasTemporary: Bool
    private let hasLocks: Bool
    private let statements: Set<ExactText>

    init(_ connection: borrowing ServerConnection) throws {
        settings = try connection.query(
            """
            SELECT name, setting FROM pg_catalog.pg_settings
            WHERE source OPERATOR(pg_catalog.=) 'session' AND setting IS NOT NULL ORDER BY name
            """
        ) { (try $0[0], try $0[1]) }
        let found = try connection.query(
            """
            SELECT pg_catalog.current_setting('role'),
                pg_catalog.pg_my_temp_schema() OPERATOR(pg_catalog.<>) 0::oid,
                EXISTS (SELECT FROM pg_catalog.pg_locks WHERE locktype OPERATOR(pg_catalog.=) 'advisory'
                    AND pid OPERATOR(pg_catalog.=) pg_catalog.pg_backend_pid())
            """
        ) { (role: try $0[0] as String, hasTemporary: try $0[1] as Bool, hasLocks: try $0[2] as Bool) }
        role = found.first?.role ?? "none"
        hasTemporary = found.first?.hasTemporary ?? false
        hasLocks = found.first?.hasLocks ?? false
        statements = try Self.statements(connection.session.run(Self.prepared))
    }

    private static let prepared: ServerSQL = "SELECT name FROM pg_catalog.pg_prepared_statements"

    private static func statements(_ result: ServerResult) throws(LockstepError) -> Set<ExactText> {
        var names: Set<ExactText> = []
        for row in 0..<result.rowCount {
            if case .text(let name) = try result.value(row, 0) { names.insert(ExactText(name)) }
        }
        return names
    }

    /// Puts everything back, in the open transaction of a version and in one round trip.
    /// - Parameter more: The statements that follow in it.
    func restore(_ more: [ServerSQL], _ connection: borrowing ServerConnection) throws {
        let session = connection.session
        var all: [ServerSQL] = [
            "CLOSE ALL", "RESET SESSION AUTHORIZATION", "SELECT pg_catalog.set_config('role', \(role), false)",
            "RESET ALL",
        ]
        if !settings.isEmpty {
            let names = settings.indices.map { "pg_catalog.set_config($\(2 * $0 + 1), $\(2 * $0 + 2), false)" }
            all.append(
                ServerSQL(
                    "SELECT \(names.joined(separator: ", "))",
                    settings.flatMap { [ServerParameter.text($0.name), .text($0.value)] }))
        }
        if !hasTemporary { all.append("DISCARD TEMP") }
        if !hasLocks { all.append("SELECT pg_catalog.pg_advisory_unlock_all()") }
        let result = try session.runTogether(all + more + [Self.prepared])
        for name in try Self.statements(result) where !statements.contains(name) && !session.hasPrepared(name.text) {
            try connection.execute("DEALLOCATE \(name: name.text)")
        }
    }
}
