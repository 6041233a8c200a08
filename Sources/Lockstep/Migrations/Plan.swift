/// What has to be done, and what is wrong, given a ledger, a migration set and a wish.
///
/// Pure: it touches no database, so every case can be tried without one.
public struct Plan: Sendable, Equatable {
    /// How far to go.
    public enum Wish: Sendable, Equatable {
        /// To the newest version there is.
        case latest
        /// To this version, upwards or downwards.
        case version(MigrationVersion)
        /// Undo what is newer than this version; never upwards.
        case downTo(MigrationVersion)
        /// So many versions back.
        case back(Int)

        fileprivate var target: MigrationVersion? {
            if case .version(let target) = self { target } else { nil }
        }
    }

    /// One migration to run.
    public enum Step: Sendable, Equatable {
        /// Apply a file.
        case up(MigrationFile)
        /// Undo what the ledger records.
        case down(LedgerEntry)

        /// The version that is applied or undone.
        public var version: MigrationVersion {
            switch self {
            case .up(let file): file.version
            case .down(let entry): entry.version
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
    /// What is wrong. With a fatal finding there are no steps.
    public let findings: [Finding]

    /// Makes the plan.
    public init(_ set: MigrationSet, ledger: [LedgerEntry], wish: Wish) {
        let applied = ledger.filter { $0.set == set.name }
        let set = set.applicable(to: applied, upTo: wish.target)
        var findings = Self.check(set, applied)
        var steps: [Step] = []
        switch wish {
        case .latest:
            steps = Self.pending(set, applied).map(Step.up)
        case .version(let target):
            let undo = applied.filter { $0.version > target }
            steps =
                undo.isEmpty
                ? Self.pending(set, applied).filter { $0.version <= target }.map(Step.up)
                : Self.undo(undo, &findings)
            findings += Self.checkTarget(target, set, applied)
        case .downTo(let target):
            steps = Self.undo(applied.filter { $0.version > target }, &findings)
            findings += Self.checkTarget(target, set, applied)
        case .back(let count):
            steps = Self.undo(Array(applied.suffix(max(count, 0))), &findings)
        }
        if findings.contains(where: \.isFatal) { steps = [] }
        self.steps = steps
        self.findings = findings
    }

    /// Throws the first fatal finding.
    public func requireSound() throws(LockstepError) {
        if let finding = findings.first(where: \.isFatal) { throw finding.error }
    }

    private static func pending(_ set: MigrationSet, _ applied: [LedgerEntry]) -> [MigrationFile] {
        let done = Set(applied.map(\.version))
        return set.files.filter { !done.contains($0.version) }
    }

    /// Newest application first. The way down is the ledger's, so that a program whose files are older
    /// can step back: what is wrong with the files does not stand in its way.
    private static func undo(_ entries: [LedgerEntry], _ findings: inout [Finding]) -> [Step] {
        findings = findings.map { Finding(isFatal: false, error: $0.error) }
        for entry in entries where !entry.isReversible {
            findings.append(
                .fatal(
                    .irreversible,
                    "\(entry.set) \(entry.version) (\(entry.name)) has no way down",
                    "restore a backup from before it instead"))
        }
        return entries.sorted { $0.position > $1.position }.map(Step.down)
    }

    // MARK: Findings

    /// A version that nobody has heard of is a slip, and no place to go to.
    private static func checkTarget(
        _ target: MigrationVersion, _ set: MigrationSet, _ applied: [LedgerEntry]
    ) -> [Finding] {
        let isKnown =
            target == MigrationVersion(0) || set.files.contains { $0.version == target }
            || applied.contains { $0.version == target }
        guard !isKnown else { return [] }
        return [
            .fatal(
                .migrationMissing, "the set \(set.name) has no version \(target)",
                "its newest is \(set.files.last.map(\.version.description) ?? "none")")
        ]
    }

    private static func check(_ set: MigrationSet, _ applied: [LedgerEntry]) -> [Finding] {
        let files = Dictionary(grouping: set.files, by: \.version)
        var findings: [Finding] = []
        for (version, claimants) in files.sorted(by: { $0.key < $1.key }) where claimants.count > 1
        {
            let names = claimants.map(\.fileName).joined(separator: " and ")
            findings.append(
                .fatal(
                    .versionDuplicate, "\(names) both claim version \(version) of \(set.name)",
                    "give one of them the next free version"))
        }
        findings += gaps(set)
        for entry in applied {
            guard let file = files[entry.version]?.first else {
                findings.append(
                    .fatal(
                        .migrationMissing,
                        "\(set.name) \(entry.version) (\(entry.name)) was applied, and its file is gone",
                        "put the file back, or use the folder that this database was migrated with")
                )
                continue
            }
            findings += compare(file, entry)
        }
        if let newest = applied.map(\.version).max() {
            for file in pending(set, applied)
            where file.version < newest && !file.mayComeLate {
                findings.append(
                    .fatal(
                        .outOfOrder,
                        "\(file.fileName) was never applied, but version \(newest) already is",
                        "give it a version above \(newest)"))
            }
        }
        return findings
    }

    /// Numbers that count up from one may leave none out; timestamps may, and those of other layouts.
    private static func gaps(_ set: MigrationSet) -> [Finding] {
        guard !set.layout.allowsGaps else { return [] }
        let numbers = set.files.compactMap(\.version.number)
        guard numbers.count == set.files.count, let first = numbers.first, first <= 1 else {
            return []
        }
        return zip(numbers, numbers.dropFirst()).compactMap { one, next in
            guard next > one, next - one > 1 else { return nil }
            return .fatal(
                .versionGap, "\(set.name) has a gap: version \(one + 1) is missing before \(next)",
                "add the missing file, or renumber the later ones that were never applied")
        }
    }

    private static func compare(_ file: MigrationFile, _ entry: LedgerEntry) -> [Finding] {
        if file.checksums.bytes == entry.checksums.bytes { return [] }
        guard file.checksums.tokens == entry.checksums.tokens else {
            return [
                .fatal(
                    .migrationChanged, "\(file.fileName) has changed since it was applied",
                    "restore the file as it was, and put the change into a new version")
            ]
        }
        let what =
            file.checksums.text == entry.checksums.text ? "line endings" : "comments or spacing"
        return [
            Finding(
                isFatal: false,
                error: LockstepError(
                    .migrationChanged,
                    "\(file.fileName) differs from what was applied, in \(what) only"))
        ]
    }
}

extension Plan.Finding {
    fileprivate static func fatal(
        _ code: LockstepError.Code, _ message: String, _ hint: String
    ) -> Plan.Finding {
        Plan.Finding(isFatal: true, error: LockstepError(code, message, hint: hint))
    }
}
