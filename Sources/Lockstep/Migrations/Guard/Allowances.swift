/// The damage that a migration is declared to be allowed to do.
struct Allowances: Sendable, Equatable {
    /// Tables that may lose rows.
    var losses: Set<SQLName> = []
    /// Columns whose values may go, by table.
    var columnLosses: [SQLName: Set<SQLName>] = [:]
    /// Columns whose values may change, by table.
    var changedValues: [SQLName: Set<SQLName>] = [:]
    /// Tables whose rows are not compared.
    var unchecked: Set<SQLName> = []
    /// Whether the checks go on after something that would need a declaration.
    var goesOn = false
    /// Whether what a version says and declares is counted as well, to be shown.
    var shows = false
    /// Whether the keys of the first rows are named.
    var namesKeys = false
    /// Tables whose foreign keys may refer to missing rows.
    var brokenReferences: Set<SQLName> = []
    /// Tables whose foreign keys may refer to missing parents, because a later version of the run repairs that.
    var repairedLater: Set<SQLName> = []
    /// What earlier versions have filled.
    var earlier: EarlierFills.Place?
    /// The migration's address in a declaration from outside its file; nil if such a declaration is not possible.
    var address: String?

    func allows(_ kind: TableEffect.Kind, of table: SQLName) -> Bool {
        switch kind {
        case .rowsGone, .rowsDoubled: return losses.contains(table)
        case .columnGone(let column): return losses.contains(table) || columnLosses[table]?.contains(column) == true
        case .changed(let column), .converted(let column), .nulled(let column):
            return changedValues[table]?.contains(column) == true
        }
    }

    /// The hint that explains how to declare something.
    func advice(_ directive: Directive) -> LockstepError.Advice {
        let text = directive.spelling
        guard let address else { return "declare it: `-- lockstep: \(text)`" }
        return """
            declare it: `-- lockstep: \(text)` in the file, or, if the file must not change, use \
            \(.declare(text, at: address))
            """
    }
}

extension MigrationScript {
    /// The declarations in the script.
    /// - Parameters:
    ///   - version: Nil for a repeatable migration.
    func allowances(_ version: MigrationVersion?, isUp: Bool) -> Allowances {
        var allowances = Allowances(
            losses: tablesAllowedToLoseRows, brokenReferences: tablesAllowedBrokenReferences,
            address: version.map { isUp ? "\($0)" : "\($0) down" })
        for item in items {
            switch item.content {
            case .directive(.allowColumnLoss(let table, let column)):
                allowances.columnLosses[SQLName(table), default: []].insert(SQLName(column))
            case .directive(.allowChangedValues(let table, let column)):
                allowances.changedValues[SQLName(table), default: []].insert(SQLName(column))
            case .directive(.uncheckedTable(let table)): allowances.unchecked.insert(SQLName(table))
            default: continue
            }
        }
        return allowances
    }
}
