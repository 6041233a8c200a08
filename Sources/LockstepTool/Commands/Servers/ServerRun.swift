import Lockstep
import LockstepPostgres

/// What the commands for migrations do with a server.
enum ServerRun {
    /// `migrate --url` and `rollback --url`.
    static func migrate(
        _ sets: [MigrationSet], target: Lockstep.Plan.Target, _ options: RunnerOptions, on server: ServerTarget,
        _ format: OutputFormat, fields: [FieldsKeyring] = [], isFirst: Bool = false
    ) throws {
        let connection = try server.connect(keys: fields.map(\.keys), isNew: isFirst)
        // Also remembers the versions that were committed before a failure.
        defer { for dataset in fields { dataset.remember(connection, from: nil) } }
        let line = MigrationProgressLine()
        Interruption.expect()
        try MigrationRun.report(sets, format) { set, report in
            let migrator = ServerMigrator(
                set, timeout: .seconds(options.wait), allowsOutOfOrder: options.outOfOrder,
                recordedDown: options.recorded.value)
            do {
                try migrator.run(target, on: connection, into: &report) { progress in
                    guard !Interruption.isRequested else { throw interrupted }
                    line.show(progress)
                }
            } catch let error as LockstepError where error.code == .interrupted && Interruption.isRequested {
                // The statement that ran was cancelled.
                throw interrupted
            }
        }
    }

    private static var interrupted: LockstepError {
        LockstepError(
            .interrupted, "interrupted: the current transaction is rolled back",
            hint: "run it again: it continues where it stopped")
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
            return try migrator.preview(target, on: connection)
        }
    }

    /// `rehearse --url`, with what ran and the name of the database.
    static func rehearse(
        _ sets: [MigrationSet], target: Lockstep.Plan.Target, _ recorded: RecordedDown,
        of server: ServerTarget, on copy: String
    ) throws -> (RehearsalReport, String) {
        let original = try server.connect()
        var rehearsal = ServerRehearsal(sets)
        rehearsal.target = target
        rehearsal.recordedDown = recorded
        let line = MigrationProgressLine()
        let report = try rehearsal.run(of: original, on: server.connect(copy: copy)) {
            guard !Interruption.isRequested else {
                throw LockstepError(.interrupted, "the rehearsal was interrupted: the copy keeps what has run")
            }
            line.show($0)
        }
        return (report, "\(original.address)")
    }

    /// `migrate --abandon --url`.
    static func abandon(
        _ version: MigrationVersion, of set: String?, on server: ServerTarget,
        _ format: OutputFormat
    ) throws {
        let connection = try server.connect()
        let one = try ServerMigrator.abandon(version, of: set, on: connection)
        switch format {
        case .json:
            try Output.json(
                ["set": one.set, "version": "\(one.version)", "name": one.name, "direction": one.isUp ? "up" : "down"]
                    as JSONObject)
        case .text:
            Output.line(
                "gave up \(one.set) \(one.version) \(one.name): what has run of it stays")
        }
    }

    /// `status --url`: the name of the server and of its database, its version, and its ledger.
    static func status(of server: ServerTarget) throws -> (
        database: String, version: String, history: MigrationHistory
    ) {
        let connection = try server.connect()
        let version = connection.serverVersion
        return (
            "\(connection.address)", "\(version / 10_000).\(version % 10_000)", try ServerMigrator.history(connection)
        )
    }

    /// `baseline --url`.
    /// - Parameter version: Nil for what another tool has recorded.
    static func baseline(
        _ set: MigrationSet, at version: MigrationVersion?, on server: ServerTarget
    ) throws -> (count: Int, version: MigrationVersion) {
        let connection = try server.connect()
        let baseline =
            try version.map { ServerBaseline(set, at: $0) } ?? ServerBaseline(set, asRecordedIn: connection)
        return (try baseline.record(on: connection), baseline.version)
    }
}
