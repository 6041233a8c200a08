extension SchemaGuard {
    /// What the migration does to the rows of each table, for people: also what it says or declares.
    /// - Parameter unexplained: What it does not, by the numbers of tables.
    func shownEffects(
        _ unexplained: [(number: Int, effect: TableEffect)], _ after: SchemaCatalogue
    ) throws -> [TableEffects] {
        var shown: [TableEffects] = []
        var successors: Set<SQLName> = []
        for (number, table) in progress.touched where !allowances.unchecked.contains(table.formerName) {
            let own = unexplained.filter { $0.number == number }.map(\.effect)
            let new = successor(of: number, table, after)?.0
            if let new { successors.insert(new.name) }
            guard let rows = try rows(table.formerName, beforeRows.core()) else { continue }
            let left = try new.flatMap { try self.rows($0.name, core) }
            let hidden = own.contains { $0.kind.column == nil }
            let all = !table.isChanging || hidden ? own : try effects(on: number, table, after, isSaid: false)
            let gone = min(rows, all.filter { $0.kind == .rowsGone }.map(\.count).reduce(0, +))
            let doubled = all.filter { $0.kind == .rowsDoubled }.map(\.count).reduce(0, +)
            let added = (left ?? 0) - (rows - gone) - doubled
            var effects = all.map { effect in
                let match = own.first { $0.kind == effect.kind }
                return part(effect, match?.count ?? effect.count, isDeclared: match == nil)
            }
            if left != nil, added > 0 {
                effects.append(TableEffects.Effect(kind: .new, column: nil, count: added, isDeclared: true))
            }
            guard !effects.isEmpty else { continue }
            shown.append(TableEffects(table: table.formerName.spelling, standing: rows - gone, effects: effects))
        }
        for (number, said) in progress.said where said.inserts && progress.touched[number] == nil {
            guard let name = names.name(number), let entry = after.countedTable(name), !successors.contains(entry.name),
                let count = try rows(entry.name, core), count > 0
            else { continue }
            let new = TableEffects.Effect(kind: .new, column: nil, count: count, isDeclared: true)
            shown.append(TableEffects(table: entry.name.spelling, standing: 0, effects: [new]))
        }
        return shown.sorted { SQLName($0.table) < SQLName($1.table) }
    }

    /// Nil for a table whose definition is broken, which is reported.
    private func rows(_ table: SQLName, _ core: ConnectionCore) throws -> Int? {
        do {
            return try core.ask("SELECT count(*) FROM main.\(name: table.spelling)") { row in try row[0] as Int }.first
        } catch let error as LockstepError where error.code == .sqlFailed {
            return nil
        }
    }

    private func part(_ effect: TableEffect, _ count: Int, isDeclared: Bool) -> TableEffects.Effect {
        let kind: TableEffects.Effect.Kind =
            switch effect.kind {
            case .rowsGone: .gone
            case .rowsDoubled: .doubled
            case .columnGone: .columnGone
            case .changed: .changed
            case .converted: .converted
            case .nulled: .becameNull
            }
        return .init(
            kind: kind, column: effect.kind.column?.spelling, count: count, keys: effect.keys, isDeclared: isDeclared)
    }
}
