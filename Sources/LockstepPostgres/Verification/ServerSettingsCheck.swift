internal import Lockstep

/// What the server is, and the settings of it that lose or leak data.
enum ServerSettingsCheck {
    private static let settings: [(name: String, isSound: @Sendable (String) -> Bool, what: String)] = [
        ("fsync", { $0 == "on" }, "commits do not survive a crash of the machine"),
        ("full_page_writes", { $0 == "on" }, "pages can be torn by a crash of the machine"),
        (
            "log_statement", { $0 == "none" || $0 == "ddl" },
            "the server's log gets the text of statements: values of columns that are not sealed"
        ),
    ]

    static func run(_ connection: borrowing ServerConnection) throws -> CheckResult {
        var findings: [VerificationReport.Finding] = []
        for setting in settings {
            let value: String? = try connection.value("SELECT pg_catalog.current_setting(\(setting.name), true)")
            guard let value, !setting.isSound(value) else { continue }
            findings.append(.notice("\(setting.name) is \(value): \(setting.what)"))
        }
        let isProtected: Bool? = try connection.value(
            """
            SELECT ssl FROM pg_catalog.pg_stat_ssl
            WHERE pid OPERATOR(pg_catalog.=) pg_catalog.pg_backend_pid()
            """)
        let address: String? = try connection.value(
            "SELECT pg_catalog.inet_server_addr()::text")
        if isProtected != true, address != nil {
            findings.append(.notice("the connection is not encrypted"))
        }
        let version = connection.serverVersion
        return ("PostgreSQL \(version / 10_000).\(version % 10_000)", findings)
    }
}
