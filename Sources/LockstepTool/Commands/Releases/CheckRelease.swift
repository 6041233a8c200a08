import ArgumentParser
import Lockstep
import SystemPackage

/// `lockstep release check`
struct CheckRelease: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check that a database is what its publisher has released.",
        discussion: """
            Needs the publisher's public key from a source other than the database, and no field key. Exits with \
            65 if anything is not as it was released. An older database put back as a whole is as genuine as it \
            was: --least makes that seen.
            """)

    @OptionGroup var access: AccessOptions
    @OptionGroup var release: ReleaseOptions
    @OptionGroup var output: FormatOptions

    @Option(help: "The number of the newest release that was seen.")
    var least: UInt64 = 1

    private struct Finding: Encodable {
        let finding: String
        let message: String
        let table: String?
        let dataset: String?
    }

    private struct Result: Encodable {
        let database: String
        let ok: Bool
        let releases: [ReleaseResult]
        let findings: [Finding]
    }

    func validate() throws {
        guard release.publisher != nil else {
            throw ValidationError("name the publisher's key: --publisher KEY")
        }
    }

    func run() throws {
        let pinned = try Publisher(release.publisher ?? "")
        let dataset = try release.dataset(in: access.keyrings.folder)
        let session = try access.session()
        let connection = try session.connect(queryOnly: true)
        let report = try Manifest.check(
            connection, publisher: pinned, dataset: dataset, least: least)
        try tell(report, session.path.string)
        if !report.isClean { throw ExitCode(Exit.tampered) }
    }

    private func tell(_ report: ManifestReport, _ path: String) throws {
        let releases = report.outcomes.compactMap(\.manifest).map(ReleaseResult.init)
        guard output.format == .text else {
            let findings = report.outcomes.flatMap { outcome in
                outcome.findings.map {
                    Finding(
                        finding: $0.code, message: $0.description, table: $0.table,
                        dataset: outcome.dataset.map(ReleaseResult.name))
                }
            }
            return try Output.json(
                Result(
                    database: path, ok: report.isClean, releases: releases, findings: findings))
        }
        for release in releases { release.tell() }
        for finding in report.findings { Output.line("failure: \(finding)") }
        Output.line(report.isClean ? "everything is as it was released" : "NOT as it was released")
    }
}
