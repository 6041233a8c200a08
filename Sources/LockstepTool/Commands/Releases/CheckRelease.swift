import ArgumentParser
import Lockstep
import SystemPackage

/// `lockstep release check`: compares a database with its publisher's manifests.
struct CheckRelease: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check that a database is what its publisher released.",
        discussion: """
            Needs the publisher's public key, from a source other than the database, and no field key. Prints what \
            was compared and what was not. Exits with 65 if anything compared differs from the release. An older copy \
            of the whole database matches its own release: --least detects it.
            """)

    @OptionGroup var access: AccessOptions
    @OptionGroup var release: ReleaseOptions
    @OptionGroup var output: FormatOptions

    @Option(help: "The lowest release number to accept: that of the newest release seen.")
    var least: UInt64 = 1

    private struct Finding: Encodable {
        let finding: String
        let message: String
        let table: String?
        let dataset: String?
    }

    private struct Compared: Encodable {
        struct Table: Encodable {
            let table: String
            let rows: UInt64
            let columns: [String]
            let indexes: [String]
        }

        let dataset: String?
        let tables: [Table]
        let definitions: UInt64?
        let notCompared: [String]
        let notice: String?

        init?(_ outcome: ManifestReport.Outcome) {
            guard let compared = outcome.compared else { return nil }
            dataset = outcome.dataset.map(ReleaseResult.name)
            tables = compared.tables.map {
                Table(
                    table: $0.name, rows: $0.rowCount, columns: $0.columns, indexes: $0.indexes)
            }
            definitions = compared.definitionCount
            notCompared = compared.notCompared
            notice = outcome.notice
        }
    }

    private struct Result: Encodable {
        let database: String
        let ok: Bool
        let releases: [ReleaseResult]
        let findings: [Finding]
        let compared: [Compared]
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
            connection, publisher: pinned, dataset: dataset, minimum: least)
        try show(report, session.path.string)
        if !report.isClean { throw ExitCode(Exit.tampered) }
    }

    private func show(_ report: ManifestReport, _ path: String) throws {
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
                    database: path, ok: report.isClean, releases: releases, findings: findings,
                    compared: report.outcomes.compactMap(Compared.init)))
        }
        for outcome in report.outcomes { write(outcome) }
        for finding in report.findings { Output.line("failure: \(finding)") }
        Output.line(
            report.isClean
                ? "everything compared is as released" : "NOT as released")
    }

    private func write(_ outcome: ManifestReport.Outcome) {
        if let manifest = outcome.manifest { ReleaseResult(manifest).writeTitle() }
        guard let compared = outcome.compared else { return }
        Output.line("compared:")
        for table in compared.tables {
            let rows = counted(Int(clamping: table.rowCount), "row")
            Output.line("  \(table.name): \(rows) in \(table.columns.joined(separator: ", "))")
            if !table.indexes.isEmpty {
                Output.line("    indexes: \(table.indexes.joined(separator: ", "))")
            }
        }
        if let definitions = compared.definitionCount {
            Output.line("  schema: \(counted(Int(clamping: definitions), "definition"))")
        }
        Output.line("not compared:")
        for omission in compared.notCompared { Output.line("  \(omission)") }
        if let notice = outcome.notice { Output.line("notice: \(notice)") }
    }
}
