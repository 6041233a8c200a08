/// The work of a plan's step.
enum StepWork {
    case script(MigrationScript)
    case code(CodeMigration.Change, foreignKeysOff: Bool, allowed: Set<SQLName>)
}

extension Plan.Step {
    /// Where its script or code comes from.
    package func origin(in set: MigrationSet) -> ScriptOrigin {
        switch self {
        case .up(let migration): migration.origin(in: set.name)
        case .down(_, .own(let migration)), .abandon(_, .own(let migration)):
            migration.origin(in: set.name, isUp: false)
        case .down(_, .recorded), .abandon(_, .recorded):
            ScriptOrigin("\(set.name) \(version) (\(name)), recorded way down", .init(set: set.name, version))
        }
    }

    /// The script to run on a server.
    /// - Throws: The errors of ``work(in:)``; ``LockstepError/Code/migrationMalformed`` for a version in Swift, which
    ///   changes a file.
    package func script(in set: MigrationSet) throws -> MigrationScript {
        switch try work(in: set) {
        case .script(let script): return script
        case .code:
            throw LockstepError(
                .migrationMalformed, "\(origin(in: set).title) is written in Swift for a connection of SQLite",
                hint: "give the set for \(set.engine.title) a file of this version", context: origin(in: set).context)
        }
    }

    /// - Throws: ``LockstepError/Code/irreversible``, ``LockstepError/Code/migrationMalformed``.
    func work(in set: MigrationSet) throws -> StepWork {
        switch self {
        case .up(.file(let file)): return .script(file.up)
        case .up(.code(let code)):
            return .code(code.up, foreignKeysOff: code.foreignKeysOff, allowed: code.tablesAllowedToLoseRows)
        case .down(let entry, let way): return try down(way, entry.down, set)
        case .abandon(let unfinished, let way):
            let work = try down(way, unfinished.down, set)
            if case .script(let script) = work, !script.isOneTransaction {
                throw LockstepError(
                    .irreversible, "\(origin(in: set).title) takes several transactions, as does its way up",
                    advice:
                        "finish it with a migration, then roll it back; or \(unfinished.givingUp)",
                    context: origin(in: set).context)
            }
            return work
        }
    }

    private func down(
        _ way: DownMigration, _ recorded: String?, _ set: MigrationSet
    ) throws -> StepWork {
        switch way {
        case .own(.file(let file)):
            guard let down = file.down else { throw irreversible(set) }
            return .script(declared(down, set))
        case .own(.code(let code)):
            guard let change = code.down else { throw irreversible(set) }
            return .code(change, foreignKeysOff: code.foreignKeysOff, allowed: code.tablesAllowedToLoseRows)
        case .recorded:
            guard let recorded else { throw irreversible(set) }
            return .script(
                declared(try MigrationFileParser.parseScript(recorded, origin(in: set), set.engine.lexis), set))
        }
    }

    private func declared(_ down: MigrationScript, _ set: MigrationSet) -> MigrationScript {
        down.declaring(set.downDeclarations[version] ?? [])
    }

    private func irreversible(_ set: MigrationSet) -> LockstepError {
        LockstepError(
            .irreversible, "\(origin(in: set).title) has no way down",
            hint: "restore a backup made before this version instead", context: origin(in: set).context)
    }
}
