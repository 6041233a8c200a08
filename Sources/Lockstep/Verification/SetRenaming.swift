/// A migration set that has another name now than when a database was migrated: its folder was renamed or moved.
public struct SetRenaming: Sendable {
    /// The name that the database records.
    public let former: String
    /// The name of the set now.
    public let name: String

    /// - Parameters:
    ///   - former: The name that the database records.
    ///   - name: The name of the set now.
    public init(from former: String, to name: String) { (self.former, self.name) = (former, name) }

    /// What the database records, under the new name.
    /// - Throws: ``LockstepError/Code/notFound`` if it records no version of the former name; ``LockstepError/Code/misuse`` if
    ///   it records the new name too, if the former one is still a set's, or if the set was not given.
    func applied(to history: MigrationHistory, _ sets: [MigrationSet]) throws(LockstepError) -> MigrationHistory {
        let versions = Set(history.entries.map { ExactText($0.set) })
        let recorded = versions.union(history.repeated.map { ExactText($0.set) })
        let given = sets.map { ExactText($0.name) }
        let context = LockstepError.Context(set: name)
        guard versions.contains(ExactText(former)) else {
            let names = versions.map(\.text).sorted().joined(separator: ", ")
            throw LockstepError(
                .notFound, "the database records no version of a set \(former)",
                hint: names.isEmpty ? "it records no set" : "it records versions of \(names)", context: context)
        }
        guard !recorded.contains(ExactText(name)) else {
            throw LockstepError(
                .misuse, "the database already records the set \(name)",
                hint: "two sets cannot become one; name another set", context: context)
        }
        guard given.contains(ExactText(name)), !given.contains(ExactText(former)) else {
            throw LockstepError(
                .misuse, "\(former) is to become \(name), and the sets are \(sets.map(\.name).joined(separator: ", "))",
                hint: "give the folder of \(name), and none of \(former)", context: context)
        }
        func now(_ set: String) -> String { ExactText(set) == ExactText(former) ? name : set }
        return MigrationHistory(
            entries: history.entries.map { now($0.set) == $0.set ? $0 : $0.with(set: name, $0.version) },
            unfinished: history.unfinished,
            repeated: history.repeated.map {
                RepeatedMigration(set: now($0.set), name: $0.name, appliedAt: $0.appliedAt, checksums: $0.checksums)
            })
    }

    /// Within the open transaction and with the engine's rights.
    func moveRepeatables(_ connection: borrowing Connection) throws {
        guard try EngineTables.exists(EngineTables.repeatables, connection) else { return }
        try connection.execute(
            "UPDATE main.\(name: EngineTables.repeatables) SET \"set\" = \(name) WHERE \"set\" = \(former)")
    }
}
