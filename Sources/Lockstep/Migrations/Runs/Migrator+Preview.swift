extension Migrator {
    /// The effect of ``run(_:on:progress:)``, with findings about it.
    /// - Throws: ``LockstepError/Code/migrationMalformed`` and errors from reading the database; the result
    ///   contains the problems of the migrations themselves.
    public func preview(
        _ target: Plan.Target = .latest, on connection: borrowing Connection
    ) throws -> MigrationPreview {
        let plan = try plan(target, on: connection)
        var scripts: [MigrationScript] = plan.repeatables.map(\.up)
        for step in plan.steps {
            if case .script(let script) = try step.work(in: set) { scripts.append(script) }
        }
        var trial = try MigrationTrial.make(of: scripts, copying: connection)
        let unfinished = try MigrationProgress.all(connection)
        for step in plan.steps {
            var begun: UnfinishedMigration?
            if case .abandon = step {
            } else {
                begun = unfinished.first { $0.set == set.name && $0.version == step.version }
            }
            try trial.run(step, of: set, begun: begun, connection)
        }
        for file in plan.repeatables {
            try trial.run(
                file.up, version: nil, file.name, Migration.file(file).origin(in: set.name), isUp: true, connection)
        }
        try trial.judgeReferences()
        return MigrationPreview(
            set: set.name, steps: trial.steps, planFindings: plan.findings, lint: trial.lint,
            declarations: trial.declarations)
    }

    /// The tables whose references have no parent after the first of these steps, and have one after the last. Tried on
    /// an empty copy of the schema.
    func repaired(
        by steps: ArraySlice<Plan.Step>, _ connection: borrowing Connection
    ) throws -> Set<SQLName> {
        guard steps.count > 1 else { return [] }
        var trial = try MigrationTrial.make(copying: connection)
        for step in steps { try trial.run(step, of: set, connection) }
        return try trial.judgeReferences()
    }
}
