/// The information that a script's blind indexes would expose, given the current values of the columns.
enum SealingLint {
    static func findings(
        _ script: MigrationScript, _ file: String, _ original: borrowing Connection
    ) throws -> [LintFinding] {
        var findings: [LintFinding] = []
        for item in script.items {
            guard case .directive(.sealing(let sealing)) = item.content,
                case .protect(let mode, _, let requests) = sealing.change.goal,
                // Tables and columns created by an earlier script have no values yet.
                let shape = try SealedTable(sealing.change.table, original), shape.column(sealing.change.column) != nil
            else { continue }
            let (table, column) = (sealing.change.table, sealing.change.column)
            if mode == .deterministic,
                let summary = try DeterministicExposure.summary(of: column, in: table, original)
            {
                findings.append(
                    LintFinding(
                        .note, .deterministic, file, item.line, summary,
                        hint: "leave out `mode=deterministic` unless joins or groups need it"))
            }
            var exposures: [IndexExposure] = []
            for request in requests {
                do {
                    exposures.append(
                        try IndexExposure.of(request, sealing.change.column, shape, original))
                } catch let error as LockstepError {
                    findings.append(
                        LintFinding(
                            .error, .histogram, file, item.line, error.message,
                            advice: error.advice))
                }
            }
            for exposure in exposures {
                guard let summary = exposure.summary(sealing.change.title, among: exposures)
                else { continue }
                findings.append(LintFinding(.note, .blindIndex, file, item.line, summary, hint: nil))
            }
        }
        return findings
    }
}
