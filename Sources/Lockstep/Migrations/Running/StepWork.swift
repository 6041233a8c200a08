/// The work of a plan's step.
enum StepWork {
    case script(MigrationScript)
    case code(CodeMigration.Change, foreignKeysOff: Bool, allowed: Set<SQLName>)
}

extension Plan.Step {
    /// The name of the step in messages.
    func title(in set: MigrationSet) -> String {
        switch self {
        case .up(let migration): "\(set.name)/\(migration.title)"
        case .down(_, .own(let migration)), .abandon(_, .own(let migration)):
            "\(set.name)/\(migration.downTitle)"
        case .down(_, .recorded), .abandon(_, .recorded):
            "\(set.name) \(version) (\(name)), recorded way down"
        }
    }

    /// - Throws: ``LockstepError/Code/irreversible``, ``LockstepError/Code/migrationMalformed``.
    func work(in set: MigrationSet) throws -> StepWork {
        switch self {
        case .up(.file(let file)): return .script(file.up)
        case .up(.code(let code)):
            return .code(
                code.up, foreignKeysOff: code.foreignKeysOff, allowed: code.tablesAllowedToLoseRows)
        case .down(let entry, let way): return try down(way, entry.down, set)
        case .abandon(let unfinished, let way):
            let work = try down(way, unfinished.down, set)
            if case .script(let script) = work, !script.isOneTransaction {
                throw LockstepError(
                    .irreversible,
                    "\(title(in: set)) takes several transactions, as does its way up",
                    hint: "finish it with a migration, then roll it back")
            }
            return work
        }
    }

    private func down(
        _ way: WayDown, _ recorded: String?, _ set: MigrationSet
    ) throws -> StepWork {
        switch way {
        case .own(.file(let file)):
            guard let down = file.down else { throw irreversible(set) }
            return .script(declared(down, set))
        case .own(.code(let code)):
            guard let change = code.down else { throw irreversible(set) }
            return .code(
                change, foreignKeysOff: code.foreignKeysOff, allowed: code.tablesAllowedToLoseRows)
        case .recorded:
            guard let recorded else { throw irreversible(set) }
            return .script(
                declared(try MigrationFileParser.parseScript(recorded, title(in: set)), set))
        }
    }

    private func declared(_ down: MigrationScript, _ set: MigrationSet) -> MigrationScript {
        down.declaring(set.downDeclarations[version] ?? [])
    }

    private func irreversible(_ set: MigrationSet) -> LockstepError {
        LockstepError(
            .irreversible, "\(title(in: set)) has no way down",
            hint: "restore a backup made before this version instead")
    }
}
