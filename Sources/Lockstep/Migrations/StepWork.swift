/// What a step of a plan runs.
enum StepWork {
    case script(MigrationScript)
    case code(CodeMigration.Change, foreignKeysOff: Bool, allowed: Set<String>)
}

extension Plan.Step {
    /// How messages call it.
    func title(in set: MigrationSet) -> String {
        switch self {
        case .up(let migration): "\(set.name)/\(migration.title)"
        case .down, .abandon: "\(set.name) \(version) (\(name)), way down as recorded"
        }
    }

    /// - Throws: ``LockstepError/Code/irreversible``, ``LockstepError/Code/migrationMalformed``.
    func work(in set: MigrationSet) throws -> StepWork {
        switch self {
        case .up(.file(let file)): return .script(file.up)
        case .up(.code(let code)):
            return .code(
                code.up, foreignKeysOff: code.foreignKeysOff, allowed: code.tablesAllowedToLoseRows)
        case .down(let entry):
            if let down = entry.down { return .script(try parse(down, set)) }
            let code = set.code.first { $0.version == entry.version }
            guard let code, let change = code.down else { throw irreversible(set) }
            return .code(
                change, foreignKeysOff: code.foreignKeysOff, allowed: code.tablesAllowedToLoseRows)
        case .abandon(let unfinished):
            guard let down = unfinished.down else { throw irreversible(set) }
            let script = try parse(down, set)
            guard script.isOneTransaction else {
                throw LockstepError(
                    .irreversible,
                    "\(title(in: set)) takes several transactions, and so does its way up",
                    hint: "finish it with a migration, then roll it back")
            }
            return .script(script)
        }
    }

    private func parse(_ down: String, _ set: MigrationSet) throws -> MigrationScript {
        try MigrationFileParser.parseScript(down, title(in: set))
            .declaring(set.downDeclarations[version] ?? [])
    }

    private func irreversible(_ set: MigrationSet) -> LockstepError {
        LockstepError(
            .irreversible, "\(title(in: set)) has no way down",
            hint: "restore a backup from before it instead")
    }
}
