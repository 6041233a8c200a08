import ArgumentParser
import Lockstep
import SystemPackage

/// `lockstep status`: shows which versions are applied and which are pending.
struct Status: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show which migrations are applied and which are pending.",
        discussion: """
            Exits with 3 if versions are pending, with 4 if files and ledger disagree. Without a migrations folder, it \
            shows which sets the database records.
            """)

    @OptionGroup var access: FileOrServerOptions
    @OptionGroup var limitOptions: LimitOptions
    @OptionGroup var reading: ReadOnlyOption
    @OptionGroup var migrations: MigrationOptions
    @OptionGroup var output: FormatOptions

    private struct Version: Encodable {
        let version: String
        let name: String
        let state: String
        let appliedAt: Int64?
        /// When an edited file was last accepted.
        var repairedAt: Int64?
    }

    private struct SetStatus: Encodable {
        let set: String
        let versions: [Version]
        let findings: [String]
    }

    private struct Result: Encodable {
        let database: String
        var library: String?
        var isCopy: Bool?
        /// The version of PostgreSQL.
        var server: String?
        let sets: [SetStatus]

        var title: String {
            if let server { return "\(database): PostgreSQL \(server)" }
            return "\(database): \(isCopy == true ? "a copy, " : "")encrypted, SQLCipher \(library ?? "")"
        }
    }

    func run() throws {
        try limitOptions.start()
        if access.server.isNamed {
            let sets = try migrations.setsIfAny(for: .postgres) ?? []
            let (database, version, history) = try ServerRun.status(of: access.server)
            return try report(sets, history, []) {
                Result(database: database, server: version, sets: $0)
            }
        }
        let sets = try migrations.setsIfAny() ?? []
        let session = try access.session(readOnly: reading.readOnly)
        let connection = try session.connect(queryOnly: true, canBeFirst: true)
        let (history, repairs, role) = try connection.read { connection in
            (try Ledger.history(connection), try Ledger.repairs(connection), try connection.fileRole())
        }
        SafeRun.reportIfUnfinished(session.path)
        SetAsideNotice.show(session.path)
        try UnrecordedSchema.notice(connection)
        let path = session.path.string
        try report(sets, history, repairs) {
            Result(database: path, library: try Connection.libraryVersion(), isCopy: role == .copy, sets: $0)
        }
    }

    private func report(
        _ sets: [MigrationSet], _ history: MigrationHistory, _ repairs: [LedgerRepair],
        _ result: ([SetStatus]) throws -> Result
    ) throws {
        let ledger = history.entries
        var isPending = false
        var fatal: LockstepError?
        let unknown = Set(ledger.map(\.set)).subtracting(sets.map(\.name)).sorted()
        for name in unknown {
            Output.note(
                "notice: the database also has the set \(name), whose files were not given")
        }
        let statuses = sets.map { set in
            let findings = Lockstep.Plan(set, history: history, target: .latest).findings
            fatal = fatal ?? findings.first(where: \.isFatal)?.error
            let applied = ledger.filter { $0.set == set.name }
            let done = applied.map { entry in
                Version(
                    version: entry.version.description, name: entry.name, state: "applied", appliedAt: entry.appliedAt,
                    repairedAt: repairs.last {
                        $0.set == set.name && $0.version == entry.version
                    }?.repairedAt)
            }
            let waiting = set.applicable(to: ledger).files.filter { file in
                !applied.contains { $0.version == file.version }
            }
            isPending = isPending || !waiting.isEmpty
            let begun = history.unfinished.filter { $0.set == set.name && $0.isUp }
            let pending = waiting.map { file in
                let isBegun = begun.contains { $0.version == file.version }
                return Version(
                    version: file.version.description, name: file.name,
                    state: isBegun ? "begun" : "pending", appliedAt: nil)
            }
            return SetStatus(set: set.name, versions: done + pending, findings: findings.map(\.error.message))
        }
        try show(result(statuses))
        if let fatal {
            Output.error(fatal)
            throw ExitCode(Exit.code(for: fatal.code))
        }
        if isPending { throw ExitCode(Exit.pending) }
    }

    private func show(_ result: Result) throws {
        guard output.format == .text else { return try Output.json(result) }
        Output.line(result.title)
        for set in result.sets {
            Output.line(set.set)
            for version in set.versions {
                let repair =
                    version.repairedAt.map {
                        "  repaired \(CalendarDay(secondsSinceEpoch: $0 / 1_000_000))"
                    } ?? ""
                Output.line("  \(version.state)  \(version.version)  \(version.name)\(repair)")
            }
            for finding in set.findings { Output.line("  note: \(finding)") }
        }
    }
}
