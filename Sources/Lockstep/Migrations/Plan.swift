/// What has to be done, and what is wrong, given a ledger, a migration set and a wish.
///
/// Pure: it touches no database, so every case can be tried without one.
public struct Plan: Sendable, Equatable {
    /// How far to go.
    public enum Wish: Sendable, Equatable {
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

        fileprivate var target: MigrationVersion? {
            if case .version(let target) = self { target } else { nil }
        }
    }

    /// One migration to run.
    public enum Step: Sendable, Equatable {
        /// Apply a version, or go on with one that was begun.
        case up(Migration)
        /// Undo what the ledger records.
        case down(LedgerEntry)
        /// Undo what was done of a version that was begun.
        case abandon(UnfinishedMigration)

        /// The version that is applied or undone.
        public var version: MigrationVersion {
            switch self {
            case .up(let migration): migration.version
            case .down(let entry): entry.version
            case .abandon(let unfinished): unfinished.version
            }
        }

        /// What it is called.
        public var name: String {
            switch self {
            case .up(let migration): migration.name
            case .down(let entry): entry.name
            case .abandon(let unfinished): unfinished.name
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
    /// - Parameter allowsOutOfOrder: Whether a version may be applied though a newer one already is, as
    ///   after branches were merged. A database that was made afresh has them in another order then.
    public init(
        _ set: MigrationSet, history: MigrationHistory, wish: Wish, allowsOutOfOrder: Bool = false
    ) {
        let state = PlanState(set, history, upTo: wish.target)
        var findings = PlanFindings.all(state, allowsOutOfOrder: allowsOutOfOrder)
        var steps: [Step] = []
        var repeatables: [MigrationFile] = []
        switch wish {
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
                steps = Self.undo(undo, state, &findings)
            }
            findings += PlanFindings.unknown(target, state)
        case .downTo(let target):
            steps = Self.undo(state.undoable.filter { $0.version > target }, state, &findings)
            findings += PlanFindings.unknown(target, state)
        case .back(let count):
            steps = Self.undo(Array(state.undoable.suffix(max(count, 0))), state, &findings)
        case .redo(let count):
            let undo = Array(state.undoable.suffix(max(count, 0)))
            steps = Self.undo(undo, state, &findings)
            steps += state.migrations(in: undo.map(\.version)).map(Step.up)
        }
        let isSound = !findings.contains(where: \.isFatal)
        self.steps = isSound ? steps : []
        self.repeatables = isSound ? repeatables : []
        self.findings = findings
    }

    /// The same, of a ledger alone.
    public init(_ set: MigrationSet, ledger: [LedgerEntry], wish: Wish) {
        self.init(set, history: MigrationHistory(entries: ledger), wish: wish)
    }

    /// Throws the first fatal finding.
    public func requireSound() throws(LockstepError) {
        if let finding = findings.first(where: \.isFatal) { throw finding.error }
    }

    /// Newest application first. The way down is the ledger's, so that a program whose files are older
    /// can step back: what is wrong with the files does not stand in its way.
    private static func undo(
        _ applied: [PlanState.Applied], _ state: PlanState, _ findings: inout [Finding]
    ) -> [Step] {
        findings = findings.map { Finding(isFatal: false, error: $0.error) }
        for one in applied where !state.isReversible(one) {
            findings.append(
                .fatal(
                    .irreversible, "\(state.set.name) \(one.version) (\(one.name)) has no way down",
                    "restore a backup from before it instead"))
        }
        return applied.reversed().map { one in
            switch one {
            case .whole(let entry): .down(entry)
            case .begun(let unfinished): .abandon(unfinished)
            }
        }
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
