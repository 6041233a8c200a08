extension SchemaGuard {
    /// Remembers a table with rows before a statement touches it.
    /// - Parameter changes: Whether the statement can change its rows.
    func touch(_ table: SQLName, changes: Bool, _ known: Knowledge) throws {
        let number = names.number(table)
        if progress.touched[number] != nil {
            if changes { progress.touched[number]?.isChanging = true }
            return
        }
        guard let former = names.formerName(number), !progress.empty.contains(number),
            let entry = known.catalogue.countedTable(former)
        else { return }
        progress.empty.insert(number)
        // A view can have the name now, or a temporary table that hides it.
        guard let now = names.name(number), let image = try TableImage(entry, as: now, core), try hasRows(now)
        else { return }
        progress.empty.remove(number)
        try beforeRows.keep(image, formerly: former, core)
        progress.touched[number] = TouchedTable(
            image: image, formerName: former, sequence: try sequence(of: entry, as: now), isChanging: changes)
    }

    /// Whether a table can be read and has rows: a virtual one can refer to a table that is gone.
    private func hasRows(_ table: SQLName) throws -> Bool {
        do {
            return try core.ask("SELECT EXISTS (SELECT 1 FROM main.\(name: table.spelling))") { row in
                try row[0] as Bool
            }.first == true
        } catch let error as LockstepError where error.code == .sqlFailed {
            return false
        }
    }

    /// Follows what a statement says, and the names of tables.
    func follow(_ sql: String, _ use: TableUse, _ known: Knowledge) throws {
        progress.triggers.merge(use.triggers) { $1 }
        hasTemporaryTables = hasTemporaryTables || use.written.contains("sqlite_temp_master")
        for table in use.deleted { progress.said[names.number(table), default: .init()].deletes = true }
        for table in use.inserted { progress.said[names.number(table), default: .init()].inserts = true }
        let alteration = use.schema?.altered.isEmpty == false ? AlterStatement(sql) : nil
        if core.authorizer.mode == .engine {
            followEngine(use, alteration)
        } else if let said = SaidStatement(sql) {
            follow(said, known, isTemporary: try isTemporary(said))
        }
        if use.schema?.removesObjects == true, let name = Self.droppedName(sql) { progress.droppedByName.insert(name) }
        for name in use.schema?.dropped ?? [] {
            if let said = progress.said[names.number(name)] {
                progress.saidBefore[name, default: .init()].formUnion(said)
            }
            names.drop(name)
        }
        for name in use.schema?.created ?? [] {
            names.make(name, isKnown: known.catalogue.relations[name] != nil)
        }
        guard let table = use.schema?.altered.first else { return }
        switch alteration {
        case .renameTable(let old, let new): names.rename(old, to: new)
        case .renameColumn(let old, let new):
            progress.said[names.number(table)]?.rename(old, to: new)
            names.rename(column: old, to: new, of: table)
        case .addColumn, .dropColumn, nil: break
        }
    }

    /// The name in DROP TRIGGER and DROP INDEX.
    private static func droppedName(_ sql: String) -> SQLName? {
        var cursor = SQLCursor(Array(sql.utf8), limit: 8)
        guard cursor.take("drop", "trigger") || cursor.take("drop", "index") else { return nil }
        _ = cursor.take("if", "exists")
        return try? cursor.objectName()
    }

    /// Whether it writes a temporary table, which hides one of the same name.
    private func isTemporary(_ said: SaidStatement) throws -> Bool {
        guard hasTemporaryTables, said.schema != "main" else { return false }  // exact: names of SQLite
        if said.schema == "temp" { return true }  // exact: names of SQLite
        let table = SQL(
            "SELECT 1 FROM temp.sqlite_schema WHERE type = 'table' AND name = \(said.target.spelling) COLLATE NOCASE")
        return try !core.ask(table) { _ in true }.isEmpty
    }

    private func follow(_ said: SaidStatement, _ known: Knowledge, isTemporary: Bool) {
        if said.kind == .create(isTemporary: false) {
            names.make(said.target, isKnown: known.catalogue.relations[said.target] != nil)
        }
        let number = names.number(said.target)
        for (column, saysNull) in said.updated where !isTemporary {
            progress.said[number, default: .init()].set(column, saysNull: saysNull)
            if said.empties(column) { progress.said[number]?.left.insert(column) }
        }
        if said.kind == .insert(values: true), !isTemporary { progress.said[number]?.insertsValues = true }
        switch said.kind {
        case .insert, .create:
            let views = known.catalogue.relations.values.filter { $0.kind == .view }.map(\.name)
            names.fill(
                said.target, said.words, isTable: { known.catalogue.relations[$0]?.isTable == true },
                views: Set(views))
        case .delete: progress.deleting = isTemporary ? nil : number
        case .update: break
        }
    }

    /// The engine's own statements do what a directive says.
    private func followEngine(_ use: TableUse, _ alteration: AlterStatement?) {
        for (table, column) in use.updated {
            progress.said[names.number(table), default: .init()].set(column, saysNull: true)
        }
        if case .dropColumn(let column) = alteration, let table = use.schema?.altered.first {
            progress.said[names.number(table), default: .init()].left.insert(column)
        }
    }

    func willRebuild(_ table: SQLName, expressions: [SQLName: String], without dropped: Set<SQLName>) {
        let number = names.number(table)
        var said = progress.said[number] ?? .init()
        // The directive is about this column alone, also where its expression gives NULL.
        for column in expressions.keys { said.set(column, saysNull: true) }
        said.left.formUnion(dropped)
        progress.said[number] = said
        progress.rebuilding = progress.touched[number]?.isChanging == true ? nil : number
    }

    func didRebuild(_ table: SQLName, copying columns: Set<SQLName>) {
        guard let number = progress.rebuilding else { return }
        progress.copied[number] = (columns, names.number(table))
    }
}
