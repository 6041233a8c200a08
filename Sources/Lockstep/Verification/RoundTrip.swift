/// Migrates down through a ledger, and up again.
struct RoundTrip {
    private let sets: [MigrationSet]
    /// Called when a version begins. An error that it throws ends the trip.
    private let observe: (String, MigrationVersion, _ isUp: Bool) throws -> Void
    /// The faults of the ways down and up, and the versions where a way down ends.
    private(set) var findings: [VerificationReport.Finding] = []
    /// Sets that go no further down.
    private var ended: Set<String> = []  // exact: names of sets

    init(sets: [MigrationSet], observe: @escaping (String, MigrationVersion, _ isUp: Bool) throws -> Void) {
        self.sets = sets
        self.observe = observe
    }

    // MARK: Down

    /// Undoes what can be undone, in the reverse order of the ledger. A set stops at a version without a way
    /// down, and the other sets continue as far as they can without it.
    mutating func goDown(_ ledger: [LedgerEntry], _ connection: borrowing Connection) throws {
        for (name, entries) in Self.groups(ledger.reversed()) where !ended.contains(name) {
            let set = try set(name)
            let reversible = entries.prefix(while: \.isReversible)
            if !reversible.isEmpty { try undo(Array(reversible), of: set, connection) }
            guard reversible.count < entries.count, !ended.contains(name) else { continue }
            let entry = entries[reversible.count]
            end(at: entry, "has no way down, so no version before it was tried")
        }
    }

    private mutating func undo(
        _ entries: [LedgerEntry], of set: MigrationSet, _ connection: borrowing Connection
    ) throws {
        var report = MigrationReport()
        do {
            try migrator(set).run(.back(entries.count), on: connection, into: &report)
        } catch let error as LockstepError where error.code != .interrupted {
            let entry = entries[min(report.steps.count, entries.count - 1)]
            // A guard that keeps rows works as intended, and versions that other sets did not undo can be in
            // the way.
            guard [.rowsLost, .valuesLost].contains(error.code) || !ended.isEmpty else {
                findings.append(.failure("the way down fails: \(error.message)"))
                ended.insert(set.name)
                return
            }
            end(at: entry, "goes no further down: \(error.message)")
        }
    }

    private mutating func end(at entry: LedgerEntry, _ why: String) {
        ended.insert(entry.set)
        findings.append(.notice("\(entry.set) \(entry.version) (\(entry.name)) \(why)"))
    }

    // MARK: Up

    /// Reapplies the undone versions, in the order of the ledger.
    mutating func goUp(_ ledger: [LedgerEntry], from lowest: [LedgerEntry], _ connection: borrowing Connection) throws {
        let left = Set(lowest.map { "\($0.set) \($0.version)" })
        let missing = ledger.filter { !left.contains("\($0.set) \($0.version)") }
        for (name, entries) in Self.groups(missing) {
            guard let target = entries.last?.version else { continue }
            do {
                _ = try migrator(set(name)).run(.version(target), on: connection)
            } catch let error as LockstepError where error.code != .interrupted {
                findings.append(.failure("the way up again fails: \(error.message)"))
                return
            }
        }
    }

    // MARK: Both

    private func migrator(_ set: MigrationSet) -> Migrator {
        let observe = observe
        return Migrator(set) { event in
            switch event {
            case .began(let set, let version, let isUp): try observe(set, version, isUp)
            default: break
            }
        }
    }

    private func set(_ name: String) throws -> MigrationSet {
        guard let set = sets.first(where: { $0.name == name }) else {
            throw LockstepError(
                .migrationMissing, "the files of the set \(name) are needed to migrate up again",
                context: .init(set: name))
        }
        return set
    }

    /// Groups consecutive entries of one set.
    private static func groups(
        _ entries: some Sequence<LedgerEntry>
    ) -> [(set: String, entries: [LedgerEntry])] {
        var groups: [(set: String, entries: [LedgerEntry])] = []
        for entry in entries {
            if groups.last?.set == entry.set {
                groups[groups.count - 1].entries.append(entry)
            } else {
                groups.append((entry.set, [entry]))
            }
        }
        return groups
    }
}
