/// What is wrong with a migration set, or between it and what the database remembers of it.
enum PlanFindings {
    static func all(_ state: PlanState, allowsOutOfOrder: Bool) -> [Plan.Finding] {
        let known = Dictionary(grouping: state.migrations, by: \.version)
        var findings = duplicates(known, state) + gaps(state) + foreignCode(state)
        for entry in state.applied {
            guard let migration = known[entry.version]?.first else {
                findings.append(
                    .fatal(
                        .migrationMissing,
                        "\(state.set.name) \(entry.version) (\(entry.name)) was applied, and its file is gone",
                        "put the file back, or use the folder that this database was migrated with")
                )
                continue
            }
            findings += migration.differences(from: entry).map { finding($0, migration) }
        }
        for unfinished in state.begun { findings += check(unfinished, known) }
        findings += outOfOrder(state, isAllowed: allowsOutOfOrder)
        findings += repeatables(state)
        for name in state.goneRepeatables {
            findings.append(
                .notice(.migrationMissing, "the file of the repeatable migration \(name) is gone"))
        }
        return findings
    }

    /// A version that nobody has heard of is a slip, and no place to go to.
    static func unknown(_ target: MigrationVersion, _ state: PlanState) -> [Plan.Finding] {
        let isKnown =
            target == MigrationVersion(0) || state.migrations.contains { $0.version == target }
            || state.applied.contains { $0.version == target }
        guard !isKnown else { return [] }
        return [
            .fatal(
                .migrationMissing, "the set \(state.set.name) has no version \(target)",
                "its newest is \(state.migrations.last?.version.description ?? "none")")
        ]
    }

    /// What is half undone can only be undone.
    static func unfinishedWayDown(_ state: PlanState) -> [Plan.Finding] {
        state.halfUndone.map { unfinished in
            .fatal(
                .migrationUnfinished,
                "\(unfinished.set) \(unfinished.version) (\(unfinished.name)) was being undone, and is not yet",
                "finish that with a rollback of one version, then migrate")
        }
    }

    private static func duplicates(
        _ known: [MigrationVersion: [Migration]], _ state: PlanState
    ) -> [Plan.Finding] {
        known.filter { $0.value.count > 1 }.sorted { $0.key < $1.key }.map { version, claimants in
            let names = claimants.map(\.title).joined(separator: " and ")
            return .fatal(
                .versionDuplicate, "\(names) both claim version \(version) of \(state.set.name)",
                "give one of them the next free version")
        }
    }

    /// Numbers that count up from one may leave none out; timestamps may, and those of other layouts.
    private static func gaps(_ state: PlanState) -> [Plan.Finding] {
        guard !state.set.layout.allowsGaps else { return [] }
        let numbers = state.migrations.compactMap(\.version.number)
        guard numbers.count == state.migrations.count, let first = numbers.first, first <= 1 else {
            return []
        }
        return zip(numbers, numbers.dropFirst()).compactMap { one, next in
            guard next > one, next - one > 1 else { return nil }
            return .fatal(
                .versionGap,
                "\(state.set.name) has a gap: version \(one + 1) is missing before \(next)",
                "add the missing file, or renumber the later ones that were never applied")
        }
    }

    /// Programs of other tools for which no code of ours stands.
    private static func foreignCode(_ state: PlanState) -> [Plan.Finding] {
        let ours = Set(state.set.code.map(\.version))
        return state.set.foreignCode.filter { !ours.contains($0.version) }.map {
            Plan.Finding(isFatal: true, error: $0.error)
        }
    }

    private static func outOfOrder(_ state: PlanState, isAllowed: Bool) -> [Plan.Finding] {
        guard let newest = state.applied.map(\.version).max() else { return [] }
        return state.pending.filter { $0.version < newest && !$0.mayComeLate }.map { migration in
            let what = "\(migration.title) was never applied, but version \(newest) already is"
            return isAllowed
                ? .notice(.outOfOrder, what)
                : .fatal(
                    .outOfOrder, what,
                    "give it a version above \(newest), or allow versions out of order")
        }
    }

    /// What was begun with one file must not go on with another.
    private static func check(
        _ unfinished: UnfinishedMigration, _ known: [MigrationVersion: [Migration]]
    ) -> [Plan.Finding] {
        let what =
            "\(unfinished.set) \(unfinished.version) (\(unfinished.name)) was begun and not ended"
        guard let migration = known[unfinished.version]?.first else {
            return [
                .fatal(
                    .migrationMissing, "\(what), and its file is gone",
                    "put the file back, or roll back what was done of it")
            ]
        }
        let differences = migration.differences(from: unfinished)
        if differences.contains(.statements) {
            return [
                .fatal(
                    .migrationChanged, "\(what), and \(migration.title) has changed since",
                    "restore the file as it was, or roll back what was done of it")
            ]
        }
        return differences.filter(\.isFatal).map { finding($0, migration) }
            + [.notice(.migrationUnfinished, "\(what): the next run goes on where it stopped")]
    }

    /// One that has changed runs again, which is what it is for. Its name finds it.
    private static func repeatables(_ state: PlanState) -> [Plan.Finding] {
        state.repeated.compactMap { repeated in
            guard let file = state.set.repeatables.first(where: { $0.name == repeated.name }),
                let difference = RecordedDifference.difference(
                    file.checksums, repeated.checksums),
                difference != .statements
            else { return nil }
            return finding(difference, .file(file))
        }
    }

    // MARK: Differences

    private static func finding(
        _ difference: RecordedDifference, _ migration: Migration
    ) -> Plan.Finding {
        Plan.Finding(isFatal: difference.isFatal, error: error(difference, migration))
    }

    /// What is said of a migration that is not what was recorded. Of the record nothing is repeated: it may be
    /// anybody's.
    static func error(
        _ difference: RecordedDifference, _ migration: Migration
    ) -> LockstepError {
        let title = migration.title
        let orTampering = "; if nobody changed it, somebody changed the ledger: restore a backup"
        switch difference {
        case .statements:
            return LockstepError(
                .migrationChanged, "\(title) has changed since it was applied",
                hint: "restore the file as it was, and put the change into a new version")
        case .name:
            return LockstepError(
                .migrationChanged, "\(title) has another name than the one recorded with it",
                hint: "give the file its name back" + orTampering)
        case .down:
            return LockstepError(
                .migrationChanged,
                "\(migration.downTitle) has another way down than the one recorded with it",
                hint: "restore the file as it was" + orTampering)
        case .checksums:
            return LockstepError(
                .migrationChanged, "the checksums recorded with \(title) contradict each other",
                hint: "somebody changed the ledger: restore the database from a backup")
        case .lineEndings, .spacing:
            let what = difference == .lineEndings ? "line endings" : "comments or spacing"
            return LockstepError(
                .migrationChanged, "\(title) differs from what was applied, in \(what) only")
        }
    }
}
