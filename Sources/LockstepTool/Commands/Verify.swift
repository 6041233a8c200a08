import ArgumentParser
import Lockstep
import SystemPackage
import LockstepPostgres

/// `lockstep verify`: proves that a database is what it should be.
struct Verify: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Prove that a database is encrypted, undamaged and matches its migrations.",
        discussion: """
            Without a migrations folder, it proves everything but that the ledger and the schema match the migrations.

            Exits with 0 only if everything holds: 65 for damage, tampering, an older copy or another release, 4 \
            for a ledger or schema that does not match the migrations, 1 for everything else. Changes nothing.

            With --deep, an encrypted copy beside the database is migrated down as far as its ways down go, and \
            up again, which must produce the same schema. The copy needs free space of twice the database's size \
            and is removed afterwards. If --timeout stops a step that does not end by itself, the copy can remain \
            under a hidden name, with a key that nobody has.

            With --url the database is on a PostgreSQL server: its ledger, its schema against a fresh run that is rolled \
            back, its constraints, what is sealed and what is plaintext, and the manifest. With --fields every cell is \
            opened.
            """)

    @OptionGroup var access: FileOrServerOptions
    @OptionGroup var reading: ReadOnlyOption
    @OptionGroup var migrations: MigrationOptions
    @OptionGroup var output: FormatOptions

    @Option(
        help: """
            Open only this many cells of each sealed column, spread over its rows. (default: all cells of the \
            datasets named with --fields)
            """)
    var sample: Int?
    @OptionGroup var release: ReleaseOptions
    @OptionGroup var limitOptions: LimitOptions

    @Flag(help: "Also run every way down, and up again, on a copy.")
    var deep = false

    func validate() throws {
        guard sample ?? 1 > 0 else { throw ValidationError("--sample must be at least 1") }
        guard !deep || !reading.readOnly else {
            throw ValidationError("--deep makes a copy beside the database: leave out --read-only")
        }
        guard !access.server.isNamed || !(deep || reading.readOnly || release.dataset != nil) else {
            throw ValidationError("--deep, --read-only and --dataset are for files: leave them out with --url")
        }
    }

    func run() throws {
        let limits = try limitOptions.begin()
        try limits.naming { try run(limits) }
    }

    private func run(_ limits: Limits) throws {
        if access.server.isNamed { return try runOnServer() }
        let sets = try migrations.setsIfAny()
        guard sets != nil || !deep else {
            throw ValidationError("--deep runs the migrations: name their folder with --migrations")
        }
        let session = try access.session(readOnly: reading.readOnly)
        var verification = sets.map { Verification(session.path, sets: $0) } ?? Verification(session.path)
        verification.keyringFile = try access.keyringFile().path
        verification.isDeep = deep
        if reading.readOnly { verification.schema.leaveNothing(beside: session.path) }
        verification.deadline = limits.deadline
        verification.cellSample = sample
        verification.publisher = try release.publisher.map(Publisher.init)
        verification.dataset = try release.dataset(access.keyrings, of: session.path)
        Interruption.expect()
        var line = VerifyProgress()
        defer { line.end() }
        var report: VerificationReport
        repeat {
            verification.fieldKeys = session.fields
            report = try verification.run(keyring: session.opened.keyring) {
                try Interruption.check()
                line.show($0)
            }
            // Someone might have changed a keyring meanwhile.
        } while Self.mayBeOutdated(report) && (try? session.reread()) == true
        line.end()
        try show(report, session.path.string)
        if let code = Self.exitCode(report) { throw ExitCode(code) }
    }

    private func runOnServer() throws {
        let credentials = CredentialSource(access.credentials)
        let fields = try access.fields.open(access.keyrings, of: nil, credentials)
        let connection = try access.server.connect(keys: fields.map(\.keys))
        var verification = ServerVerification(sets: try migrations.setsIfAny(for: .postgres))
        verification.cellSample = sample
        verification.publisher = try release.publisher.map(Publisher.init)
        Interruption.expect()
        var line = VerifyProgress()
        defer { line.end() }
        let report = try verification.run(on: connection) {
            try Interruption.check()
            line.show($0)
        }
        line.end()
        try show(report, "\(connection.address)")
        if let code = Self.exitCode(report) { throw ExitCode(code) }
    }

    /// Whether a newer keyring could be without what was found.
    private static func mayBeOutdated(_ report: VerificationReport) -> Bool {
        report.outcomes.contains {
            $0.obstacle?.code == .keyringOutdated || ($0.check == .freshness && $0.hasFailed)
        }
    }

    // MARK: Output

    private func show(_ report: VerificationReport, _ path: String) throws {
        guard output.format == .text else {
            return try Output.json(report.json(path))
        }
        let checks: [VerificationReport.Check] =
            access.server.isNamed ? VerificationReport.Check.ofServers : VerificationReport.Check.allCases
        let longest = checks.map(\.rawValue.count).max() ?? 0
        for outcome in report.outcomes {
            let mark = outcome.hasFailed ? "FAILED" : outcome.isCarriedOut ? "ok" : "–"
            let name = outcome.check.rawValue
            let padding = String(repeating: " ", count: longest + 2 - name.count)
            Output.line("\(name)\(padding)\(mark)  \(outcome.summary) (\(Output.duration(outcome.duration)))")
            for finding in outcome.findings { show(finding) }
        }
        guard report.isClean else {
            let isLeft = report.outcomes.contains { $0.check == .drift && !$0.isCarriedOut }
            return Output.line("NOT verified" + (isLeft ? ": the migrations were not compared" : ""))
        }
        let left = report.outcomes.filter { !$0.isCarriedOut }.map(\.check)
        Output.line(
            "verified: everything holds" + (left.contains(.drift) ? ", and the migrations were not compared" : "")
                + (left.contains(.cells) ? ", and no cell was opened" : ""))
    }

    private func show(_ finding: VerificationReport.Finding) {
        Output.line("    \(finding.isFailure ? "failure" : "notice"): \(finding.advice.typed)")
        guard let difference = finding.difference else { return }
        for detail in difference.details { Output.line("        \(detail)") }
        // The details explain a difference; an unexpected or missing object has only its definition.
        switch difference.change {
        case .unexpected: Output.line("        \(Self.oneLine(difference.found ?? ""))")
        case .missing: Output.line("        \(Self.oneLine(difference.expected ?? ""))")
        case .different: break
        }
    }

    private static func oneLine(_ sql: String) -> String {
        let text = sql.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return text.count > 200 ? "\(text.prefix(200)) …" : text
    }

    // MARK: The exit code

    /// Damage takes precedence over drift, and drift over everything else.
    private static func exitCode(_ report: VerificationReport) -> Exit? {
        let codes = report.outcomes.filter(\.hasFailed).map(exitCode)
        return [.tampered, .drift, .wrongKey, .locked, .inputOutput, .failed]
            .first(where: codes.contains)
    }

    private static func exitCode(_ outcome: VerificationReport.Outcome) -> Exit {
        // What could not be compared does not differ.
        guard outcome.obstacle?.code != .notCompared else { return .failed }
        // The error that prevented a check says more than the name of the check.
        switch outcome.obstacle?.code {
        case .busy, .locked, .inputOutput, .accessDenied, .full, .limitExceeded, .wrongKey, .damaged, .tampered:
            return outcome.obstacle.map { Exit.code(for: $0.code) } ?? .failed
        default: break
        }
        return Exit.code(for: outcome.check.failureCode)
    }
}

/// The progress of a verification, on one line.
private struct VerifyProgress {
    private var line = ProgressLine()
    /// The text of each check that runs.
    private var running: [ExactText: String] = [:]

    mutating func show(_ progress: JobProgress) {
        let check = progress.phase.name
        var text = check
        if let step = progress.step { text += " \(step)" }
        if progress.total != nil { text += " \(ProgressLine.share(progress))" }
        running[ExactText(check)] = progress.hasEnded ? nil : text
        let texts = running.sorted { $0.key < $1.key }.map(\.value)
        line.show("verify: \(texts.joined(separator: ", "))")
    }

    mutating func end() { line.end() }
}
