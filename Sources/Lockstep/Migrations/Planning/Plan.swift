/// The steps to run, and the problems found, given a ledger, a migration set and a target.
///
/// Planning does not access a database, so every case can be tested without one.
public struct Plan: Sendable, Equatable {
    /// The target of a run.
    public enum Target: Sendable, Equatable {
        /// Migrate to the newest version, then run the repeatable migrations that have changed.
        case latest
        /// Migrate to this version, up or down.
        case version(MigrationVersion)
        /// Undo all versions newer than this one, or all for ``MigrationVersion/unversioned``; never migrate up.
        case downTo(MigrationVersion)
        /// Undo this many versions.
        case back(Int)
        /// Undo this many versions, then apply them again from the current files.
        case redo(Int)

        fileprivate var version: MigrationVersion? {
            if case .version(let version) = self { version } else { nil }
        }
    }

    /// One migration to run.
    public enum Step: Sendable, Equatable {
        /// Apply a version, or continue an unfinished one.
        case up(Migration)
        /// Undo a version in the ledger.
        case down(LedgerEntry, DownMigration)
        /// Undo the completed part of an unfinished version.
        case abandon(UnfinishedMigration, DownMigration)

        /// The version to apply or undo.
        public var version: MigrationVersion {
            switch self {
            case .up(let migration): migration.version
            case .down(let entry, _): entry.version
            case .abandon(let unfinished, _): unfinished.version
            }
        }

        /// Its name.
        public var name: String {
            switch self {
            case .up(let migration): migration.name
            case .down(let entry, _): entry.name
            case .abandon(let unfinished, _): unfinished.name
            }
        }

        /// Whether it migrates up.
        public var isUp: Bool {
            switch self {
            case .up: true
            case .down, .abandon: false
            }
        }
    }

    /// A problem with the set or the ledger.
    public struct Finding: Sendable, Equatable {
        /// Whether it prevents a run.
        public let isFatal: Bool
        /// The problem.
        public let error: LockstepError
    }

    /// The steps to run, in order.
    public let steps: [Step]
    /// Repeatable migrations that have changed and run after the steps.
    public let repeatables: [MigrationFile]
    /// The problems. With a fatal finding there are no steps.
    public let findings: [Finding]

    /// Makes the plan.
    /// - Parameters:
    ///   - set: The set.
    ///   - history: What the database has recorded of it.
    ///   - target: How far to go.
    ///   - allowsOutOfOrder: Whether a version may be applied after a newer one was, for example after a merge of
    ///     branches. A new database then applies them in a different order.
    ///   - recordedDown: Whether the way down in the ledger may undo a version that its file cannot undo.
    public init(
        _ set: MigrationSet, history: MigrationHistory, target: Target,
        allowsOutOfOrder: Bool = false,
        recordedDown: RecordedDown = .refused
    ) {
        let state = PlanState(set, history, upTo: target.version)
        var findings = PlanFindings.all(state, allowsOutOfOrder: allowsOutOfOrder)
        var steps: [Step] = []
        var repeatables: [MigrationFile] = []
        switch target {
        case .latest:
            steps = state.pending.map(Step.up)
            repeatables = state.changedRepeatables
            findings += PlanFindings.unfinishedDownMigration(state)
        case .version(let target):
            let undo = state.undoable.filter { $0.version > target }
            if undo.isEmpty {
                steps = state.pending.filter { $0.version <= target }.map(Step.up)
                findings += PlanFindings.unfinishedDownMigration(state)
            } else {
                steps = Self.undo(undo, state, recordedDown, &findings)
            }
            findings += PlanFindings.unknown(target, state)
        case .downTo(let target):
            let undo = state.undoable.filter { $0.version > target }
            steps = Self.undo(undo, state, recordedDown, &findings)
            findings += PlanFindings.unknown(target, state)
        case .back(let count):
            let undo = Array(state.undoable.suffix(max(count, 0)))
            steps = Self.undo(undo, state, recordedDown, &findings)
        case .redo(let count):
            let undo = Array(state.undoable.suffix(max(count, 0)))
            steps = Self.undo(undo, state, recordedDown, &findings)
            let versions = undo.map(\.version)
            steps += state.migrations(in: versions).map(Step.up)
            findings += Self.afterwards(set, history, without: versions)
        }
        let isSound = !findings.contains(where: \.isFatal)
        self.steps = isSound ? steps : []
        self.repeatables = isSound ? repeatables : []
        self.findings = findings
    }

    /// Makes the plan from a ledger alone.
    public init(_ set: MigrationSet, ledger: [LedgerEntry], target: Target, recordedDown: RecordedDown = .refused) {
        self.init(set, history: MigrationHistory(entries: ledger), target: target, recordedDown: recordedDown)
    }

    /// Requires that nothing prevents the plan.
    /// - Throws: The first fatal finding; see ``findings``.
    public func requireSound() throws(LockstepError) {
        if let finding = findings.first(where: \.isFatal) { throw finding.error }
    }

    /// Undoes the newest application first. The file or code of a version undoes it, so it must be unchanged
    /// since the version was applied; problems of other versions do not prevent that.
    private static func undo(
        _ applied: [PlanState.Applied], _ state: PlanState, _ recorded: RecordedDown, _ findings: inout [Finding]
    ) -> [Step] {
        findings = findings.map { Finding(isFatal: false, error: $0.error) }
        var steps: [Step] = []
        for one in applied.reversed() {
            do throws(LockstepError) {
                let way = try state.downMigration(of: one, recorded)
                switch one {
                case .whole(let entry): steps.append(.down(entry, way))
                case .begun(let unfinished): steps.append(.abandon(unfinished, way))
                }
            } catch {
                findings.append(Finding(isFatal: true, error: error))
            }
        }
        return steps
    }

    /// The problems that would prevent applying `versions` again after undoing them. They also prevent undoing
    /// them.
    private static func afterwards(
        _ set: MigrationSet, _ history: MigrationHistory, without versions: [MigrationVersion]
    ) -> [Finding] {
        func isUndone(_ name: String, _ version: MigrationVersion) -> Bool {
            name == set.name && versions.contains(version)  // exact: names of sets
        }
        let left = MigrationHistory(
            entries: history.entries.filter { !isUndone($0.set, $0.version) },
            unfinished: history.unfinished.filter { !isUndone($0.set, $0.version) }, repeated: history.repeated)
        return PlanFindings.all(PlanState(set, left, upTo: nil), allowsOutOfOrder: true)
            .filter(\.isFatal)
    }
}

extension Plan.Finding {
    static func fatal(
        _ code: LockstepError.Code, _ message: String, _ advice: LockstepError.Advice, _ context: LockstepError.Context
    ) -> Plan.Finding {
        Plan.Finding(isFatal: true, error: LockstepError(code, message, advice: advice, context: context))
    }

    static func notice(
        _ code: LockstepError.Code, _ message: String, _ context: LockstepError.Context
    ) -> Plan.Finding {
        Plan.Finding(isFatal: false, error: LockstepError(code, message, context: context))
    }
}
