extension SchemaGuard {
    /// Compares the rows of the tables that can have changed, and requires that each difference is said or declared.
    func requireEffects(_ after: SchemaCatalogue, _ changes: TableChanges, _ tolerated: inout [LockstepError]) throws {
        var found: [(number: Int, table: TouchedTable, effect: TableEffect)] = []
        for (number, table) in progress.touched.sorted(by: { $0.value.formerName < $1.value.formerName })
        where table.isChanging {
            if allowances.unchecked.contains(table.formerName) {
                let name = table.formerName.spelling
                let what = "the rows of \(name) are not compared, as declared"
                tolerated.append(LockstepError(.rowsLost, what, context: .init(table: name)))
            } else if allowances.losses.contains(table.formerName), !stands(number, table, after) {
                found += try countedEffect(number, table, after).map { (number, table, $0) }
            } else {
                found += try effects(on: number, table, after).map { (number, table, $0) }
            }
        }
        if allowances.shows {
            let unexplained = found.filter { !allowances.allows($0.effect.kind, of: $0.table.formerName) }
            shown = try shownEffects(unexplained.map { ($0.number, $0.effect) }, after)
        }
        let values = found.filter { $0.effect.kind.column != nil }
        for (number, table, effect) in found.filter({ $0.effect.kind.column == nil }) + values {
            try require(effect, number, table, changes, &tolerated)
        }
    }

    /// What has happened to the rows of a table, and is explained by nothing that the migration says.
    /// - Parameter isSaid: Whether what it says explains anything.
    func effects(
        on number: Int, _ table: TouchedTable, _ after: SchemaCatalogue, isSaid: Bool = true
    ) throws -> [TableEffect] {
        let filled = try filledTables(from: number, formerly: table.formerName, after)
        if let (successor, tie) = successor(of: number, table, after) {
            // Rows without a key of their own can have been taken away and put back.
            let canBeBack = tie != .same || (table.image.key.isEmpty && names.isRefilled(number))
            let others = filled.filter { canBeBack || $0.image.name != successor.name }  // exact: names of SQLite
            return try compare(number, table, successor, tie, others, isSaid) ?? []
        }
        var best: [TableEffect]?
        func gone(_ effects: [TableEffect]) -> Int {
            effects.filter { $0.kind == .rowsGone }.map(\.count).reduce(0, +)
        }
        for one in filled where one.isLinked {
            guard let entry = after.countedTable(one.image.name),
                let effects = try compare(number, table, entry, .moved, filled, isSaid)
            else { continue }
            if let known = best, (gone(known), known.count) <= (gone(effects), effects.count) { continue }
            best = effects
        }
        return try best ?? searched(table, filled)
    }

    /// The table that has the rows of a table now, if it has its name or is the same table.
    func successor(
        of number: Int, _ table: TouchedTable, _ after: SchemaCatalogue
    ) -> (CatalogueEntry, RowComparison.Tie)? {
        if let entry = names.name(number).flatMap({ after.countedTable($0) }) { return (entry, .same) }
        return after.countedTable(table.formerName).map { ($0, .replaced) }
    }

    /// Whether the rows of a table that may lose some still are those of before: it was not made again with other rows.
    private func stands(_ number: Int, _ table: TouchedTable, _ after: SchemaCatalogue) -> Bool {
        guard let (successor, tie) = successor(of: number, table, after) else { return false }
        return tie == .same || names.filled(from: number)[successor.name] == true
    }

    private func compare(
        _ number: Int, _ table: TouchedTable, _ successor: CatalogueEntry, _ tie: RowComparison.Tie,
        _ filled: [FilledTable], _ isSaid: Bool
    ) throws -> [TableEffect]? {
        guard let image = try TableImage(successor, core) else { return nil }
        var said = progress.said[number] ?? .init()
        let other = names.number(successor.name)
        if other != number, let more = progress.said[other] {
            said.formUnion(more)
        }
        if tie == .replaced, let more = progress.saidBefore[table.formerName] { said.formUnion(more) }
        said.putsBack = names.isRefilled(number)
        if !isSaid { said = SaidChanges() }
        var comparison = try RowComparison(
            table.image, formerly: table.formerName, image, tie, names: names.columns[number] ?? [:], said,
            copied: tie == .replaced ? progress.copied[number]?.columns ?? [] : [], filled: filled,
            before: beforeRows.core(), after: core, where: part?.condition(of: table.formerName, progress))
        comparison.namesKeys = allowances.namesKeys
        return try comparison.effects()
    }

    /// The rows of a table that is gone, without those that stand in tables that the run has filled.
    private func searched(_ table: TouchedTable, _ filled: [FilledTable]) throws -> [TableEffect] {
        let source = RowSource(core: try beforeRows.core(), table: table.formerName, hashKey: try .init())
        let columns = table.image.stored.map(\.name)
        var search = ContentSearch(columns, source)
        var rows: Int64 = 0
        try source.forEach(filled.isEmpty ? [] : columns.map(ColumnTerm.converted)) { hashes, _ in
            rows += 1
            if !filled.isEmpty { _ = search.add(hashes) }
        }
        try search.look(in: filled, core)
        let gone = rows - Int64(search.isFound.count { $0 })
        return gone > 0 ? [TableEffect(kind: .rowsGone, count: Int(clamping: gone), rows: (rows, nil))] : []
    }

    private func filledTables(
        from number: Int, formerly table: SQLName, _ after: SchemaCatalogue
    ) throws -> [FilledTable] {
        if let earlier = allowances.earlier, !progress.hasRecalled {
            progress.hasRecalled = true
            names.recall(earlier.names)
        }
        let own = [names.name(number), table]
        return try names.filled(from: number).sorted { $0.key < $1.key }.compactMap { name, isLinked in
            // Other tables can have rows of the same content, which came from elsewhere.
            guard isLinked || own.contains(name), let entry = after.countedTable(name),
                let image = try TableImage(entry, core)
            else { return nil }
            return FilledTable(image: image, isLinked: isLinked)
        }
    }

    /// Of a table that may lose its rows and has no successor, only their number is compared.
    private func countedEffect(
        _ number: Int, _ table: TouchedTable, _ after: SchemaCatalogue
    ) throws -> [TableEffect] {
        func count(_ name: SQLName, _ core: ConnectionCore) throws -> Int64 {
            try core.ask("SELECT count(*) FROM main.\(name: name.spelling)") { row in try row[0] as Int64 }.first ?? 0
        }
        let rows = try count(table.formerName, beforeRows.core())
        let new = successor(of: number, table, after)?.0
        let left: Int64?
        do {
            left = try new.map { try count($0.name, core) }
        } catch let error as LockstepError where error.code == .sqlFailed {
            // Its definition is broken, which is reported.
            return []
        }
        let gone = rows - (left ?? 0)
        return gone > 0 ? [TableEffect(kind: .rowsGone, count: Int(clamping: gone), rows: (rows, left))] : []
    }

    // MARK: Judging

    private func require(
        _ effect: TableEffect, _ number: Int, _ table: TouchedTable, _ changes: TableChanges,
        _ tolerated: inout [LockstepError]
    ) throws(LockstepError) {
        let name = table.formerName.spelling
        let context = LockstepError.Context(table: name, column: effect.kind.column?.spelling)
        let what = effect.text(name) + effect.keyText
        let kind = effect.code == .rowsLost ? "rows" : "values"
        guard !allowances.allows(effect.kind, of: table.formerName) else {
            tolerated.append(LockstepError(effect.code, "\(kind) are lost, as declared: \(what)", context: context))
            return
        }
        // What goes as a whole goes by its own statement.
        let cause = effect.rows.after == nil ? nil : cause(of: effect, table.formerName)
        let message = "\(kind) would be lost: \(what)" + (cause.map { ": \($0.text)" } ?? "")
        var directive = effect.directive(name)
        let other = effect.kind == .rowsGone ? "; if a table is being replaced, use `-- lockstep: rebuild table …`" : ""
        var advice: LockstepError.Advice = "if that is intended, \(allowances.advice(directive))\(other)"
        if let parent = cause?.parent, changes.dropped.contains(parent) {
            let spelling = directive.spelling
            advice = """
                \(parent.spelling) is dropped with foreign keys on, which \
                \(effect.kind == .rowsGone ? "deletes its children" : "changes the rows that refer to it"): to keep \
                them, \(allowances.advice(.foreignKeysOff)); if the loss is intended, declare `\(spelling)`
                """
            directive = .foreignKeysOff
        }
        suspect = progress.suspects.taking(table.formerName)
        try refuse(
            directive, effect.code, message, advice: advice, context: context,
            effect: BlamedEffect(number: number, kind: effect.kind))
        suspect = nil
    }

    /// What no statement says: the action of a foreign key, or a trigger.
    private func cause(of effect: TableEffect, _ table: SQLName) -> (text: String, parent: SQLName?)? {
        if core.enforcesForeignKeys {
            for key in known?.keys.keys[table] ?? [] where progress.losing.contains(key.parent) {
                guard effect.fits(key.onDelete, key.columns) else { continue }
                let text = "ON DELETE \(key.onDelete.asciiUppercased), when rows of \(key.parent.spelling) went"
                return (text, key.parent)
            }
            for key in known?.keys.keys[table] ?? [] where effect.fitsUpdate(key.onUpdate, key.columns) {
                return ("ON UPDATE \(key.onUpdate.asciiUppercased), when rows of \(key.parent.spelling) changed", nil)
            }
        }
        return progress.triggers[table].map { ("the trigger \($0.spelling) writes it", nil) }
    }

    /// Throws the error of something that lacks a declaration, or notes it for a preview that goes on.
    func refuse(
        _ directive: Directive, _ code: LockstepError.Code, _ message: String, advice: LockstepError.Advice,
        context: LockstepError.Context, effect: BlamedEffect? = nil
    ) throws(LockstepError) {
        let error = LockstepError(code, message, advice: advice, context: context)
        missing.append(Missing(directive: directive, error: error, suspect: suspect, effect: effect))
        guard allowances.goesOn else { throw error }
    }
}

extension TableEffect {
    /// Whether the action of a foreign key on its columns can be the cause.
    fileprivate func fits(_ action: String, _ columns: [SQLName]) -> Bool {
        switch kind {
        case .rowsGone: action == "cascade"
        case .nulled(let column): action.begins(with: "set ") && columns.contains(column)
        case .changed(let column): action == "set default" && columns.contains(column)
        default: false
        }
    }

    fileprivate func fitsUpdate(_ action: String, _ columns: [SQLName]) -> Bool {
        switch kind {
        case .nulled(let column): action.begins(with: "set ") && columns.contains(column)
        case .changed(let column): ["cascade", "set default"].contains(action) && columns.contains(column)
        default: false
        }
    }
}
