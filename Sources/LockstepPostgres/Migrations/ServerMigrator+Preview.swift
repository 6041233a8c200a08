public import Lockstep

extension ServerMigrator {
    /// What a run would do, statement by statement, with findings. The server does not see the statements: what is
    /// refused before anything runs is an error, with file and line.
    /// - Throws: The errors of ``plan(_:on:)``.
    public func preview(
        _ target: Plan.Target = .latest, on connection: borrowing ServerConnection
    ) throws -> MigrationPreview {
        let plan = try plan(target, on: connection)
        var lint: [LintFinding] = []
        var steps: [MigrationPreview.Step] = []
        for step in plan.steps {
            let statements = try statements(of: step, connection, &lint)
            steps.append(
                MigrationPreview.Step(
                    version: step.version, name: step.name, title: step.name, isUp: step.isUp, statements: statements))
        }
        for file in plan.repeatables {
            let statements = try statements(&lint) { try script(of: file) }.statements
            steps.append(
                MigrationPreview.Step(
                    version: nil, name: file.name, title: file.fileName, isUp: true, statements: statements))
        }
        return MigrationPreview(set: set.name, steps: steps, planFindings: plan.findings, lint: lint)
    }

    private func statements(
        of step: Plan.Step, _ connection: borrowing ServerConnection,
        _ lint: inout [LintFinding]
    ) throws -> [MigrationPreview.Statement] {
        let (statements, script) = try statements(&lint) { try self.script(of: step) }
        if let script, case .up(.file(let file)) = step {
            lint += try ServerLint.findings(script, file.fileName) {
                try ConcurrentIndex.isFilled($0, connection)
            }
        }
        return statements
    }

    private func statements(
        _ lint: inout [LintFinding], _ body: () throws -> ServerScript
    ) throws -> (statements: [MigrationPreview.Statement], script: ServerScript?) {
        do {
            let script = try body()
            return (
                script.statements.map {
                    MigrationPreview.Statement(line: $0.line, sql: $0.sql)
                },
                script
            )
        } catch let error as LockstepError where error.code == .migrationMalformed {
            lint.append(LintFinding(refused: error))
            return ([], nil)
        }
    }
}
