/// The way to undo a version.
public enum DownMigration: Sendable, Equatable {
    /// The file or the code of the version, unchanged since the version was applied.
    case own(Migration)
    /// The text that the database recorded. See ``RecordedDown``.
    case recorded
}

extension PlanState {
    /// The way to undo a version.
    /// - Throws: An error with the reason if the version cannot be undone.
    func downMigration(of one: Applied, _ recorded: RecordedDown) throws(LockstepError) -> DownMigration {
        let named = "\(set.name) \(one.version)"
        let claimants = migrations.filter { $0.version == one.version }
        for own in claimants where try own.fits(one) {
            guard own.isReversible else { throw irreversible("\(named) (\(own.name))", one) }
            return .own(own)
        }
        guard let down = one.down else {
            guard claimants.isEmpty else { throw mismatch(claimants[0], one) }
            throw irreversible(named, one)
        }
        guard recorded == .allowed else {
            guard claimants.isEmpty else { throw mismatch(claimants[0], one) }
            throw LockstepError(
                .migrationMissing,
                "\(named) cannot be undone: its file is gone, and the way down in the ledger runs "
                    + "only on request",
                advice: "restore the file, or \(Self.asking)", context: context(one))
        }
        try requireNoKeys(down, ScriptOrigin("\(named), recorded way down", context(one)), named)
        return .recorded
    }

    /// The error for the first difference, which prevents undoing the version.
    private func mismatch(_ migration: Migration, _ one: Applied) -> LockstepError {
        let difference = migration.differences(from: one).first(where: \.isFatal) ?? .statements
        if case .begun(let unfinished) = one, difference == .statements {
            return PlanFindings.completedPartChanged(unfinished, migration.origin(in: set.name))
        }
        let error = PlanFindings.error(difference, migration, set)
        let advice = error.advice ?? "restore the file"
        return LockstepError(
            error.code, "\(set.name) \(one.version) cannot be undone: \(error.message)",
            advice: one.down == nil ? advice : "\(advice); or \(Self.asking)", context: error.context)
    }

    /// Sealing needs keys, but recorded SQL runs without keys.
    private func requireNoKeys(
        _ down: String, _ origin: ScriptOrigin, _ named: String
    ) throws(LockstepError) {
        let script = try MigrationFileParser.parseScript(down, origin, set.engine.lexis)
        for item in script.items {
            guard case .directive(.sealing(let sealing)) = item.content else { continue }
            throw LockstepError(
                .keyUnavailable,
                "the recorded way down of \(named) changes the sealed column "
                    + "\(sealing.change.title), but recorded SQL runs without field keys",
                advice:
                    "restore the version's file, and roll back with \(.fieldKeysOf(sealing.dataset))",
                context: sealing.change.context.completed(by: origin.context))
        }
    }

    private func irreversible(_ what: String, _ one: Applied) -> LockstepError {
        let advice: LockstepError.Advice =
            switch one {
            case .whole: "restore a backup made before this version instead"
            case .begun(let unfinished):
                "add a way down to its file, or \(unfinished.givingUp); or restore a backup made before it"
            }
        return LockstepError(.irreversible, "\(what) has no way down", advice: advice, context: context(one))
    }

    private func context(_ one: Applied) -> LockstepError.Context {
        .init(set: set.name, one.version)
    }

    private static let asking: LockstepError.Advice =
        "undo it with the recorded way down: \(.recordedDown), without \(.fieldKeys)"
}

extension Migration {
    /// Whether it can undo the version: it is the one that was applied, or, for a version that was begun, begins with
    /// what has run.
    fileprivate func fits(_ one: PlanState.Applied) throws(LockstepError) -> Bool {
        let differences = differences(from: one).filter(\.isFatal)
        guard case .begun(let unfinished) = one, !differences.isEmpty else {
            return differences.isEmpty
        }
        guard differences == [.statements] else { return false }
        try requireBeginning(of: unfinished, origin(in: unfinished.set))
        return true
    }

    fileprivate func differences(from one: PlanState.Applied) -> [RecordedDifference] {
        switch one {
        case .whole(let entry): differences(from: entry)
        case .begun(let unfinished): differences(from: unfinished)
        }
    }
}
