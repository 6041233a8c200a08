/// The problems of a migration set, and its differences from the history in the database.
enum PlanFindings {
    static func all(_ state: PlanState, allowsOutOfOrder: Bool) -> [Plan.Finding] {
        let known = Dictionary(grouping: state.migrations, by: \.version)
        var findings = duplicates(known, state) + gaps(state) + externalCode(state)
        for entry in state.applied {
            guard let migration = known[entry.version]?.first else {
                findings.append(
                    .fatal(
                        .migrationMissing,
                        "\(state.set.name) \(entry.version) (\(entry.name)) was applied, " + "but its file is gone",
                        """
                        restore the file, or use the folder that this database was migrated with; if it was renamed, \
                        accept that with \(.repair)
                        """,
                        .init(set: entry.set, entry.version)))
                continue
            }
            findings += migration.differences(from: entry).map { finding($0, migration, state.set) }
        }
        for unfinished in state.begun { findings += check(unfinished, known, state.set) }
        findings += outOfOrder(state, isAllowed: allowsOutOfOrder)
        findings += repeatables(state)
        if let former = state.formerName {
            findings.append(
                .fatal(
                    .migrationMissing,
                    "\(state.set.name) has the files of the set \(former), which the database records as applied",
                    state.set.engine == .postgres
                        ? "give the set the name \(former): \(.nameSet)"
                        : "if the set was renamed, accept that with \(.renameSet(former, to: state.set.name))",
                    .init(set: state.set.name)))
        }
        for name in state.goneRepeatables {
            findings.append(
                .notice(
                    .migrationMissing, "the file of the repeatable migration \(name) is gone",
                    .init(set: state.set.name)))
        }
        return findings
    }

    /// An unknown version as the target is a mistake.
    static func unknown(_ target: MigrationVersion, _ state: PlanState) -> [Plan.Finding] {
        let isKnown =
            target == MigrationVersion(0) || target == .unversioned
            || state.migrations.contains { $0.version == target } || state.applied.contains { $0.version == target }
        guard !isKnown else { return [] }
        return [
            .fatal(
                .migrationMissing, "the set \(state.set.name) has no version \(target)",
                "its newest version is \(state.migrations.last?.version.description ?? "none")",
                .init(set: state.set.name, target))
        ]
    }

    /// A version that is partly undone can only be undone.
    static func unfinishedDownMigration(_ state: PlanState) -> [Plan.Finding] {
        state.halfUndone.map { unfinished in
            .fatal(
                .migrationUnfinished,
                "\(unfinished.set) \(unfinished.version) (\(unfinished.name)) is only partly " + "undone",
                "finish the rollback by rolling back one version, then migrate; or \(unfinished.givingUp)",
                .init(set: unfinished.set, unfinished.version))
        }
    }

    private static func duplicates(
        _ known: [MigrationVersion: [Migration]], _ state: PlanState
    ) -> [Plan.Finding] {
        known.filter { $0.value.count > 1 }.sorted { $0.key < $1.key }.map { version, claimants in
            let names = claimants.map(\.title).joined(separator: " and ")
            return .fatal(
                .versionDuplicate, "\(names) both have version \(version) of \(state.set.name)",
                "change one of them to the next free version",
                .init(set: state.set.name, version))
        }
    }

    /// Version numbers that count up from one must not have gaps; timestamps and the versions of other layouts
    /// can.
    private static func gaps(_ state: PlanState) -> [Plan.Finding] {
        guard !state.set.layout.rules.allowsGaps else { return [] }
        let numbers = state.migrations.compactMap(\.version.number)
        guard numbers.count == state.migrations.count else { return [] }
        // What other engines have is no gap here.
        let known = (numbers + state.set.versionsElsewhere.compactMap(\.number)).sorted()
        guard let first = known.first, first <= 1 else { return [] }
        return zip(known, known.dropFirst()).compactMap { one, next in
            guard next > one, next - one > 1 else { return nil }
            return .fatal(
                .versionGap, "\(state.set.name) has a gap: version \(one + 1) is missing before \(next)",
                "add the missing file, or renumber the later ones that were never applied",
                .init(set: state.set.name, MigrationVersion(one + 1)))
        }
    }

    /// Programs of other tools that the set has no code migration for.
    private static func externalCode(_ state: PlanState) -> [Plan.Finding] {
        let ours = Set(state.set.code.map(\.version))
        return state.set.externalCode.filter { !ours.contains($0.version) }.map {
            Plan.Finding(isFatal: true, error: $0.error.adding(.init(set: state.set.name)))
        }
    }

    private static func outOfOrder(_ state: PlanState, isAllowed: Bool) -> [Plan.Finding] {
        guard let newest = state.applied.map(\.version).max() else { return [] }
        return state.pending.filter { $0.version < newest && !$0.mayComeLate }.map { migration in
            let what = "\(migration.title) was never applied, but version \(newest) was"
            let context = migration.origin(in: state.set.name).context
            return isAllowed
                ? .notice(.outOfOrder, what, context)
                : .fatal(
                    .outOfOrder, what, "give it a version above \(newest), or allow versions out of order", context)
        }
    }

    /// A version that was started with one file must not continue with another.
    private static func check(
        _ unfinished: UnfinishedMigration, _ known: [MigrationVersion: [Migration]], _ set: MigrationSet
    ) -> [Plan.Finding] {
        let what = "\(unfinished.set) \(unfinished.version) (\(unfinished.name)) was begun " + "but not finished"
        guard let migration = known[unfinished.version]?.first else {
            return [
                .fatal(
                    .migrationMissing, "\(what), and its file is gone", "restore the file, or \(unfinished.givingUp)",
                    .init(set: set.name, unfinished.version))
            ]
        }
        let origin = migration.origin(in: set.name)
        let differences = migration.differences(from: unfinished)
        do throws(LockstepError) {
            try migration.requireBeginning(of: unfinished, origin)
        } catch {
            return [Plan.Finding(isFatal: true, error: error)]
        }
        let next =
            differences.contains(.statements)
            ? "the next run continues after the part that has run, which is unchanged in the file"
            : "the next run continues where it stopped"
        return differences.filter { $0.isFatal && $0 != .statements }
            .map { finding($0, migration, set) } + [
                .notice(.migrationUnfinished, "\(what): \(next)", origin.context)
            ]
    }

    /// The error for a record that Lockstep did not write.
    static func impossibleProgress(_ origin: ScriptOrigin) -> LockstepError {
        LockstepError(
            .tampered, "the recorded progress of \(origin.title) does not agree with the file",
            hint: "restore the database from a backup", context: origin.context)
    }

    /// The error for a file whose part that has run is not the one that ran.
    static func completedPartChanged(
        _ unfinished: UnfinishedMigration, _ origin: ScriptOrigin
    ) -> LockstepError {
        LockstepError(
            .migrationChanged,
            "\(unfinished.set) \(unfinished.version) (\(unfinished.name)) was begun but not finished, and "
                + "\(origin.title) has changed in the part that has run",
            advice: "restore that part of the file, or \(unfinished.givingUp)", context: origin.context)
    }

    /// A repeatable migration that has changed runs again, which is its purpose. It is identified by its name.
    private static func repeatables(_ state: PlanState) -> [Plan.Finding] {
        state.repeated.compactMap { repeated in
            guard
                let file = state.set.repeatables.first(where: {
                    $0.name.hasSameBytes(as: repeated.name)
                }),
                let difference = RecordedDifference.difference(
                    file.checksums, repeated.checksums),
                difference != .statements
            else { return nil }
            return finding(difference, .file(file), state.set)
        }
    }

    // MARK: Differences

    private static func finding(
        _ difference: RecordedDifference, _ migration: Migration, _ set: MigrationSet
    ) -> Plan.Finding {
        Plan.Finding(isFatal: difference.isFatal, error: error(difference, migration, set))
    }

    /// The error for a migration that differs from its record. The message quotes nothing from the record,
    /// because anyone with the database's key can write it.
    static func error(
        _ difference: RecordedDifference, _ migration: Migration, _ set: MigrationSet
    ) -> LockstepError {
        let title = migration.title
        let orTampering =
            "; if nobody changed the file, the ledger was changed: restore a backup"
        var hint: LockstepError.Advice?
        let what: String
        switch difference {
        case .statements:
            what = "\(title) has changed since it was applied"
            hint = """
                restore the original file, and put the change into a new version; if the database has what the file \
                makes now, accept it with \(.repair)
                """
        case .name:
            what = "\(title) has a different name than the ledger records"
            hint = "restore the file's original name, or accept it with \(.repair)\(orTampering)"
        case .down:
            what = "\(migration.downTitle) has a different way down than the ledger records"
            hint = "restore the original file, or accept it with \(.repair)\(orTampering)"
        case .checksums:
            what = "the recorded checksums of \(title) contradict each other"
            hint = "the ledger was changed: restore the database from a backup"
        case .lineEndings: what = "\(title) differs from the applied file only in line endings"
        case .spacing:
            what = "\(title) differs from the applied file only in comments or white space"
        }
        let origin = migration.origin(in: set.name, isUp: difference != .down)
        return LockstepError(.migrationChanged, what, advice: hint, context: origin.context)
    }
}
