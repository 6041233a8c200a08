/// How a version is undone.
public enum WayDown: Sendable, Equatable {
    /// By the file or the code of the version, which is what was applied.
    case own(Migration)
    /// By the text that the database recorded. See ``RecordedDown``.
    case recorded
}

extension PlanState {
    /// How to undo a version.
    /// - Throws: why it is not to be undone.
    func wayDown(of one: Applied, _ recorded: RecordedDown) throws(LockstepError) -> WayDown {
        let named = "\(set.name) \(one.version)"
        let claimants = migrations.filter { $0.version == one.version }
        let own = claimants.first { !$0.differences(from: one).contains(where: \.isFatal) }
        if let own {
            guard own.isReversible else { throw Self.irreversible("\(named) (\(own.name))") }
            return .own(own)
        }
        guard let down = one.down else {
            guard claimants.isEmpty else { throw mismatch(claimants[0], one) }
            throw Self.irreversible(named)
        }
        guard recorded == .allowed else {
            guard claimants.isEmpty else { throw mismatch(claimants[0], one) }
            throw LockstepError(
                .migrationMissing,
                "\(named) cannot be undone: its file is gone, and what the ledger recorded runs on demand only",
                hint: "put the file back, or \(Self.asking)")
        }
        try requireNoKeys(down, named)
        return .recorded
    }

    /// The first difference, as what stands in the way.
    private func mismatch(_ migration: Migration, _ one: Applied) -> LockstepError {
        let difference = migration.differences(from: one).first(where: \.isFatal) ?? .statements
        let error = PlanFindings.error(difference, migration)
        let hint = error.hint ?? "restore the file"
        return LockstepError(
            error.code, "\(set.name) \(one.version) cannot be undone: \(error.message)",
            hint: one.down == nil ? hint : "\(hint); or \(Self.asking)")
    }

    /// Sealing needs keys, and recorded SQL runs without them.
    private func requireNoKeys(_ down: String, _ named: String) throws(LockstepError) {
        let script = try MigrationFileParser.parseScript(down, "\(named), way down as recorded")
        for item in script.items {
            guard case .directive(.sealing(let sealing)) = item.content else { continue }
            throw LockstepError(
                .keyUnavailable,
                "the recorded way down of \(named) changes the sealed column \(sealing.change.title), "
                    + "and recorded SQL runs without field keys",
                hint: "put the version's file back and roll back with --fields \(sealing.dataset)")
        }
    }

    private static func irreversible(_ what: String) -> LockstepError {
        LockstepError(
            .irreversible, "\(what) has no way down",
            hint: "restore a backup from before it instead")
    }

    private static let asking =
        "undo it as recorded with --recorded-down, which runs without --fields"
}

extension Migration {
    fileprivate func differences(from one: PlanState.Applied) -> [RecordedDifference] {
        switch one {
        case .whole(let entry): differences(from: entry)
        case .begun(let unfinished): differences(from: unfinished)
        }
    }
}
