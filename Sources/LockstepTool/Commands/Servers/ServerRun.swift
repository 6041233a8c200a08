#if Postgres
    import Lockstep
    import LockstepPostgres

    /// What the commands for migrations do with a server.
    enum ServerRun {
        /// `migrate --url` and `rollback --url`.
        static func migrate(
            _ sets: [MigrationSet], target: Lockstep.Plan.Target, _ options: RunnerOptions,
            on server: ServerTarget, _ format: OutputFormat
        ) throws {
            let connection = try server.connect()
            let line = MigrationProgressLine()
            Interruption.expect()
            try MigrationRun.report(sets, format) { set, report in
                let migrator = ServerMigrator(
                    set, timeout: .seconds(options.wait), allowsOutOfOrder: options.outOfOrder,
                    recordedDown: options.recorded.value)
                try migrator.run(target, on: connection, into: &report) { progress in
                    guard !Interruption.isRequested else {
                        throw LockstepError(
                            .interrupted, "interrupted: the current transaction is rolled back",
                            hint: "run it again: it continues where it stopped")
                    }
                    line.show(progress)
                }
            }
        }

        /// `plan --url`: the steps and their statements, which the server does not see.
        static func previews(
            _ sets: [MigrationSet], target: Lockstep.Plan.Target, outOfOrder: Bool,
            _ recorded: RecordedDown,
            on server: ServerTarget
        ) throws -> [MigrationPreview] {
            let connection = try server.connect()
            return try sets.map { set in
                let migrator = ServerMigrator(
                    set, allowsOutOfOrder: outOfOrder, recordedDown: recorded)
                let plan = try migrator.plan(target, on: connection)
                let steps = try plan.steps.map { step in
                    MigrationPreview.Step(
                        version: step.version, name: step.name, title: step.name, isUp: step.isUp,
                        statements: try migrator.statements(of: step).map {
                            MigrationPreview.Statement(line: $0.line, sql: $0.sql)
                        })
                }
                return MigrationPreview(
                    set: set.name, steps: steps, planFindings: plan.findings, lint: [])
            }
        }

        /// `status --url`: the name of the server and of its database, its version, and its ledger.
        static func status(of server: ServerTarget) throws -> (
            database: String, version: String, history: MigrationHistory
        ) {
            let connection = try server.connect()
            let version = connection.serverVersion
            return (
                "\(connection.address)", "\(version / 10_000).\(version % 10_000)",
                try ServerMigrator.history(connection)
            )
        }

        /// `baseline --url`.
        static func baseline(
            _ set: MigrationSet, at version: MigrationVersion, on server: ServerTarget
        ) throws -> Int {
            let connection = try server.connect()
            return try ServerBaseline(set, at: version).record(on: connection)
        }
    }
#endif
