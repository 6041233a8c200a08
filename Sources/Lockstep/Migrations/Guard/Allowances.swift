/// What a migration may leave worse than it was, because somebody has declared it.
struct Allowances: Sendable, Equatable {
    /// Tables, in lower case, that may lose rows.
    var losses: Set<String> = []
    /// Tables, in lower case, whose foreign keys may be left without what they refer to.
    var brokenReferences: Set<String> = []
    /// What the migration is called where something is declared about it from outside of its file; nil where that
    /// cannot be.
    var address: String?

    /// Tells how to declare something.
    func hint(_ directive: Directive) -> String {
        let text = directive.spelling
        guard let address else { return "declare it: `-- lockstep: \(text)`" }
        return "declare it: `-- lockstep: \(text)` in the file, or, where that must stay as it is, "
            + "--declare '\(address): \(text)'"
    }
}

extension MigrationScript {
    /// What the script declares.
    /// - Parameters:
    ///   - version: Nil for a repeatable.
    func allowances(_ version: MigrationVersion?, isUp: Bool) -> Allowances {
        Allowances(
            losses: tablesAllowedToLoseRows, brokenReferences: tablesAllowedBrokenReferences,
            address: version.map { isUp ? "\($0)" : "\($0) down" })
    }

    /// The script with directives that its file does not have. Text and checksums stay the file's.
    func declaring(_ directives: [Directive]) -> MigrationScript {
        guard !directives.isEmpty else { return self }
        let added = directives.map { Item(content: .directive($0), line: 0) }
        return MigrationScript(items: added + items, text: text)
    }
}
