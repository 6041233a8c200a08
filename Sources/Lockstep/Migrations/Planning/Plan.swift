/// What has to be done, and what is wrong, given a ledger, a migration set and a target.
///
/// Pure: it touches no database, so every case can be tried without one.
public struct Plan: Sendable, Equatable {
    /// How far to go.
    public enum Target: Sendable, Equatable {
        /// To the newest version there is; then the repeatable migrations that have changed.
        case latest
        /// To this version, upwards or downwards.
        case version(MigrationVersion)
        /// Undo what is newer than this version; never upwards.
        case downTo(MigrationVersion)
        /// So many versions back.
        case back(Int)
        /// So many versions back, and up again by the files as they are now.
        case redo(Int)

        fileprivate var version: MigrationVersion? {
            if case .version(let version) = self { version } else { nil }
        }
    }

    /// One migration to run.
    public enum Step: Sendable, Equatable {
        /// Apply a version, or go on with one that was begun.
        case up(Migration)
        /// Undo a version of the ledger.
        case down(LedgerEntry, WayDown)
        /// Undo what was done of a version that was begun.
        case abandon(UnfinishedMigration, WayDown)

        /// The version that is applied or undone.
        public var version: MigrationVersion {
            switch self {
            case .up(let migration): migration.version
            case .down(let entry, _): entry.version
            case .abandon(let unfinished, _): unfinished.version
            }
        }

        /// What it is called.
        public var name: String {
            switch self {
            case .up(let migration): migration.name
            case .down(let entry, _): entry.name
            case .abandon(let unfinished, _): unfinished.name
            }
        }

        /// Whether it leads forward.
        public var isUp: Bool {
            switch self {
            case .up: true
            case .down, .abandon: false
            }
        }
    }

    /// Something that is not as it should be.
    public struct Finding: Sendable, Equatable {
        /// Whether it stands in the way of running.
        public let isFatal: Bool
        /// What it is.
        public let error: LockstepError
    }

    /// What to run, in this order.
    public let steps: [Step]
    /// Repeatable migrations that run behind the steps, since they have changed.
    public let repeatables: [MigrationFile]
    /// What is wrong. With a fatal finding there are no steps.
    public let findings: [Finding]

    /// Makes the plan.
    /// - Parameters:
    ///   - allowsOutOfOrder: Whether a version may be applied though a newer one already is, as
    ///     after branches were merged. A database that was made afresh has them in another order then.
    ///   - recordedDown: Whether what the ledger recorded may undo a version whose file does not.
    public init(
        _ set: MigrationSet, history: MigrationHistory, target: Target, allowsOutOfOrder: Bool = false,
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
            findings += PlanFindings.unfinishedWayDown(state)
        case .version(let target):
            let undo = state.undoable.filter { $0.version > target }
            if undo.isEmpty {
                steps = state.pending.filter { $0.version <= target }.map(Step.up)
                findings += PlanFindings.unfinishedWayDown(state)
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

    /// The same, of a ledger alone.
    public init(
        _ set: MigrationSet, ledger: [LedgerEntry], target: Target,
        recordedDown: RecordedDown = .refused
    ) {
        self.init(
            set, history: MigrationHistory(entries: ledger), target: target, recordedDown: recordedDown)
    }

    /// Throws the first fatal finding.
    public func requireSound() throws(LockstepError) {
        if let finding = findings.first(where: \.isFatal) { throw finding.error }
    }

    /// Newest application first. What undoes a version is its file or code, so that has to be what was applied; what
    /// is wrong with others does not stand in the way.
    private static func undo(
        _ applied: [PlanState.Applied], _ state: PlanState, _ recorded: RecordedDown,
        _ findings: inout [Finding]
    ) -> [Step] {
        findings = findings.map { Finding(isFatal: false, error: $0.error) }
        var steps: [Step] = []
        for one in applied.reversed() {
            do throws(LockstepError) {
                let way = try state.wayDown(of: one, recorded)
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

    /// What would stand in the way of applying `versions` again once they are undone: then it stands in the way of
    /// undoing them.
    private static func afterwards(
        _ set: MigrationSet, _ history: MigrationHistory, without versions: [MigrationVersion]
    ) -> [Finding] {
        func isUndone(_ name: String, _ version: MigrationVersion) -> Bool {
            name == set.name && versions.contains(version)
        }
        let left = MigrationHistory(
            entries: history.entries.filter { !isUndone($0.set, $0.version) },
            unfinished: history.unfinished.filter { !isUndone($0.set, $0.version) },
            repeated: history.repeated)
        return PlanFindings.all(PlanState(set, left, upTo: nil), allowsOutOfOrder: true)
            .filter(\.isFatal)
    }
}

extension Plan.Finding {
    static func fatal(
        _ code: LockstepError.Code, _ message: String, _ hint: String
    ) -> Plan.Finding {
        Plan.Finding(isFatal: true, error: LockstepError(code, message, hint: hint))
    }

    static func notice(_ code: LockstepError.Code, _ message: String) -> Plan.Finding {
        Plan.Finding(isFatal: false, error: LockstepError(code, message))
    }
}
