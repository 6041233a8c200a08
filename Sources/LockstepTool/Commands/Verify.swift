import ArgumentParser
import Lockstep
import SystemPackage

/// `lockstep verify`: proves that a database is what it should be.
struct Verify: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Prove that a database is encrypted, whole and of the schema its migrations make.",
        discussion: """
            Exits with 0 only if everything holds: 65 for damage, tampering or an older copy, 4 for a ledger or schema \
            that does not fit the migrations, 1 for everything else. Nothing is changed.
            """)

    @OptionGroup var access: AccessOptions
    @OptionGroup var migrations: MigrationOptions
    @OptionGroup var output: FormatOptions

    private struct Finding: Encodable {
        let isFailure: Bool
        let message: String
    }

    private struct Check: Encodable {
        let check: String
        let ok: Bool
        let summary: String
        let findings: [Finding]
        let microseconds: Int64
    }

    private struct Result: Encodable {
        let database: String
        let ok: Bool
        let checks: [Check]
    }

    func run() throws {
        let sets = try migrations.sets()
        let session = try access.session()
        let report = try Verification(session.path, sets: sets).run(keyring: session.keyring)
        try tell(report, session.path.string)
        if let code = Self.exitCode(report) { throw ExitCode(code) }
    }

    private func tell(_ report: VerificationReport, _ path: String) throws {
        guard output.format == .text else {
            let checks = report.outcomes.map { outcome in
                Check(
                    check: outcome.check.rawValue, ok: !outcome.hasFailed,
                    summary: outcome.summary,
                    findings: outcome.findings.map {
                        Finding(isFailure: $0.isFailure, message: $0.message)
                    }, microseconds: outcome.duration)
            }
            return try Output.json(Result(database: path, ok: report.isClean, checks: checks))
        }
        for outcome in report.outcomes {
            let mark = outcome.hasFailed ? "FAILED" : "ok"
            let name = outcome.check.rawValue
            let padding = String(repeating: " ", count: max(14 - name.count, 1))
            Output.line(
                "\(name)\(padding)\(mark)  \(outcome.summary) (\(Output.duration(outcome.duration)))"
            )
            for finding in outcome.findings {
                Output.line("    \(finding.isFailure ? "failure" : "notice"): \(finding.message)")
            }
        }
        Output.line(report.isClean ? "verified: everything holds" : "NOT verified")
    }

    /// Damage weighs more than drift, drift more than the rest.
    private static func exitCode(_ report: VerificationReport) -> Int32? {
        let codes = report.outcomes.filter(\.hasFailed).map { outcome in
            switch outcome.check {
            case .encryption, .pages, .integrity, .age: Exit.tampered
            case .ledger, .drift: Exit.drift
            case .foreignKeys, .keyring: Exit.failed
            }
        }
        return codes.max()
    }
}
