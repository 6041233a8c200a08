import ArgumentParser
import Lockstep
import SystemPackage

extension Release {
    /// `lockstep release check`: compares a database with its publisher's manifests.
    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Check that a database is what its publisher released.",
            discussion: """
                Needs the publisher's public key, from a source other than the database, and no field key. Prints \
                what was compared and what was not. Exits with 65 if anything compared differs from the release. An \
                older copy of the whole database matches its own release: --least detects it.
                """)

        @OptionGroup var access: AccessOptions
        @OptionGroup var reading: ReadOnlyOption
        @OptionGroup var release: ReleaseOptions
        @OptionGroup var output: FormatOptions

        @Option(help: "The lowest release number to accept: that of the newest release seen.") var least: UInt64 = 1

        func validate() throws {
            guard release.publisher != nil else {
                throw ValidationError("name the publisher's key: --publisher KEY")
            }
        }

        func run() throws {
            try access.limitOptions.start()
            let pinned = try Publisher(release.publisher ?? "")
            let dataset = try release.dataset(access.keyrings, of: access.database.path())
            let session = try access.session(readOnly: reading.readOnly)
            let progress = CopyProgressLine("check")
            let connection = try session.connect(queryOnly: true)
            let report = try Manifest.check(
                connection, publisher: pinned, dataset: dataset, minimum: least
            ) { try progress.show($0) }
            try show(report, session.path.string)
            if !report.isClean { throw ExitCode(Exit.tampered) }
        }

        private func show(_ report: ManifestReport, _ path: String) throws {
            guard output.format == .text else { return try Output.json(Self.json(report, path)) }
            for outcome in report.outcomes { write(outcome) }
            for finding in report.findings { Output.line("failure: \(finding)") }
            Output.line(
                report.isClean
                    ? "everything compared is as released" : "NOT as released")
        }

        private static func json(_ report: ManifestReport, _ path: String) -> JSONObject {
            let findings = report.outcomes.flatMap { outcome in
                outcome.findings.map { finding in
                    [
                        "finding": finding.code, "message": finding.description,
                        "table": finding.table, "dataset": outcome.dataset.map(Manifest.name(of:)),
                    ] as JSONObject
                }
            }
            let compared = report.outcomes.compactMap { outcome -> JSONObject? in
                guard let compared = outcome.compared else { return nil }
                let tables = compared.tables.map {
                    ["table": $0.name, "rows": $0.rowCount, "columns": $0.columns, "indexes": $0.indexes] as JSONObject
                }
                return [
                    "dataset": outcome.dataset.map(Manifest.name(of:)), "tables": tables,
                    "definitions": compared.definitionCount, "notCompared": compared.notCompared,
                    "notice": outcome.advice?.typed,
                ]
            }
            return [
                "database": path, "ok": report.isClean,
                "releases": report.outcomes.compactMap(\.manifest?.json),
                "findings": findings, "compared": compared,
            ]
        }

        private func write(_ outcome: ManifestReport.Outcome) {
            if let manifest = outcome.manifest { manifest.writeTitle() }
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
            if let advice = outcome.advice { Output.line("notice: \(advice.typed)") }
        }
    }
}
