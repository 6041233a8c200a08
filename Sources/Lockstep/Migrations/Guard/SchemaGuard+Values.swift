/// Which rows and values stand after a migration, beyond the number of rows.
///
/// Nothing here reads a table whose values the statement cannot lose: keys are read before a DELETE or REPLACE that no
/// declaration allows, a column before it is dropped, and of a replaced table the columns that its copy left out or
/// holds under a type that can change them.
extension SchemaGuard {
    /// Values that a statement takes from a column.
    struct ColumnLoss {
        enum Kind {
            /// The column goes.
            case gone
            /// Its values became others: '00123' is 123 in an INTEGER column.
            case changed
        }
        let table, column: SQLName
        let kind: Kind
        let count: Int
        let statement: BlameTracker.Statement
    }

    /// A statement that has been announced, and whose effect is known once the next one is.
    struct Announced {
        let statement: BlameTracker.Statement
        let fill: FillStatement?
        let sources: Set<SQLName>
        let totalChanges: Int64
        let changesSchema: Bool
    }

    // MARK: Before a statement

    /// Notes what a statement can do to rows and values, before it runs.
    func noteValues(
        _ statement: BlameTracker.Statement, _ use: TableUse, _ known: Knowledge
    ) throws {
        let fill = use.written.isEmpty ? nil : FillStatement(statement.sql)
        announced = Announced(
            statement: statement, fill: fill, sources: use.read,
            totalChanges: core.totalChanges, changesSchema: use.schema != nil)
        for (table, column) in use.updated { moves.noteUpdate(of: column, in: table) }
        for table in use.deleted.union(use.schema?.dropped ?? []) { try recall(table, known) }
        try noteKeys(statement, use, known)
        if let schema = use.schema {
            if core.authorizer.mode != .engine, let table = schema.altered.first,
                case .dropColumn(let column) = AlterStatement(statement.sql)
            {
                try noteDrop(of: column, table, statement, known)
            }
            for table in schema.dropped { try noteDrop(of: table, statement, known) }
        }
        follow(statement.sql, use, fill)
    }

    /// Reads the keys of a table before a statement that can delete some of them and insert others.
    private func noteKeys(
        _ statement: BlameTracker.Statement, _ use: TableUse, _ known: Knowledge
    ) throws {
        var endangered = use.deleted
        if SQLTokens.hasWord("replace", in: statement.sql) {
            endangered.formUnion(use.inserted.union(use.updated.map(\.table)))
        }
        endangered.subtract(use.schema?.dropped ?? [])
        for table in endangered { try takeKeys(of: table, known) }
        for table in use.inserted {
            guard let old = original(table, known), progress.lastRowIDs[old] == nil,
                progress.keysBefore[old] == nil, hasRows(old)
            else { continue }
            progress.lastRowIDs.updateValue(
                try KeySnapshot.lastRowID(of: table, core), forKey: old)
        }
    }

    private func takeKeys(of table: SQLName, _ known: Knowledge) throws {
        guard let old = original(table, known), hasRows(old), progress.keysBefore[old] == nil,
            !allowances.losses.contains(old), known.catalogue.relations[old]?.kind == .table
        else { return }
        guard let last = progress.lastRowIDs[old] else {
            progress.keysBefore[old] = try KeySnapshot(table, upTo: nil, core)
            return
        }
        // Without rowids, the rows that the migration has inserted cannot be distinguished any more.
        guard let last else { return }
        progress.keysBefore[old] = try KeySnapshot(table, upTo: last, core)
    }

    private func hasRows(_ table: SQLName) -> Bool {
        guard case .some(.some(let count)) = progress.rowsBefore[table] else { return false }
        return (1...KeySnapshot.limit).contains(count)
    }

    /// Looks for the rows of a table, before some go, where an earlier version has put them.
    private func recall(_ table: SQLName, _ known: Knowledge) throws {
        guard let earlier = allowances.earlier, let old = original(table, known), hasRows(old),
            !allowances.losses.contains(old), case .some(.some(let count)) = progress.rowsBefore[old]
        else { return }
        let number = moves.number(table)
        guard moves.moves(from: number).reduce(0, { $0 + $1.rows }) < count, progress.recalled.insert(number).inserted
        else { return }
        let fills = earlier.fills(of: table, formerly: moves.formerName(number))
        guard !fills.isEmpty else { return }
        let columns = try StoredColumn.all(of: table, core).filter(\.isStored)
        for fill in fills {
            let to = moves.number(formerly: fill.target)
            guard let source = fill.statement.source, let target = moves.name(to), target != table else { continue }
            let targets = try StoredColumn.all(of: target, core).filter(\.isStored)
            let carried = fill.statement.carried(from: source, columns.map(\.name), to: targets.map(\.name))
            let pairs = columns.compactMap { column in
                targets.filter { carried[column.name]?.contains($0.name) == true }.map {
                    KeySnapshot.Pair(
                        column: column.name, target: $0.name,
                        isLoose: column.affinity.changesValues(under: $0.affinity))
                }.min { !$0.isLoose && $1.isLoose }
            }
            guard !pairs.isEmpty,
                let rows = try KeySnapshot.standing(table, in: target, by: pairs, core)
            else { continue }
            moves.recall(
                .init(
                    from: number, to: to, sql: fill.sql, carried: carried,
                    isWhole: columns.allSatisfy { carried[$0.name]?.isEmpty == false },
                    statement: .init(line: 0, sql: fill.sql), migration: 0, rows: rows))
        }
    }

    /// The name that a table had before the migration; nil for one that the migration made.
    private func original(_ table: SQLName, _ known: Knowledge) -> SQLName? {
        if let number = moves.known(table), let old = progress.numbers.first(where: { $0.value == number }) {
            return old.key
        }
        guard known.catalogue.countedTable(table) != nil, !progress.schema.created.contains(table) else { return nil }
        return table
    }

    /// Follows the names of tables.
    private func follow(_ sql: String, _ use: TableUse, _ fill: FillStatement?) {
        for name in use.schema?.dropped ?? [] { moves.drop(name) }
        // exact: names of SQLite
        for name in use.schema?.created ?? [] where fill?.target != name { moves.make(name) }
        // A name can have three tokens.
        var cursor = SQLCursor(Array(sql.utf8), limit: 10)
        if cursor.take("alter", "table") {
            guard let old = try? cursor.objectName(), cursor.take("rename", "to"),
                let new = try? cursor.name()
            else { return }
            moves.rename(old, to: new)
        } else if cursor.take("drop", "table") {
            _ = cursor.take("if", "exists")
            if let name = try? cursor.objectName(), moves.isTemporary(name) { moves.forget(name) }
        }
    }

    // MARK: Columns

    private func noteDrop(
        of column: SQLName, _ table: SQLName, _ statement: BlameTracker.Statement,
        _ known: Knowledge
    ) throws {
        guard let old = original(table, known),
            try StoredColumn.all(of: table, core).contains(where: {
                $0.name == column && $0.isStored  // exact: names of SQLite
            }),
            let count = try StoredValues.counts([column], of: table, core)?.first, count > 0
        else { return }
        let number = moves.number(table)
        let others = moves.updatedColumns(of: table).subtracting([column])
        for other in others.sorted()
        where try StoredValues.areEqual(column, other, in: table, core) { return }
        let moved = moves.moves(from: number).filter {
            $0.carried[column]?.isEmpty == false && moves.name($0.to) != nil
        }
        guard moved.reduce(0, { $0 + $1.rows }) < count else { return }
        progress.columnLosses.append(
            ColumnLoss(
                table: old, column: column, kind: .gone, count: count, statement: statement))
    }

    /// Looks at the columns of a table that is dropped after a statement of the run has copied its rows.
    private func noteDrop(of table: SQLName, _ statement: BlameTracker.Statement, _ known: Knowledge) throws {
        let number = moves.number(table)
        progress.dropped.insert(number)
        guard let old = original(table, known), hasRows(old), !allowances.losses.contains(old) else { return }
        let found = moves.moves(from: number)
        guard !found.isEmpty else {
            // What code keeps for itself meanwhile shows in no statement.
            if line == 0 { try takeKeys(of: table, known) }
            return
        }
        let columns = try StoredColumn.all(of: table, core).filter(\.isStored)
        let isRebuild = found.contains {
            moves.name($0.to)?.hasPrefix(SQLName(EngineTables.rebuildPrefix)) == true
        }
        var gone: [SQLName] = []
        var changed: [(column: StoredColumn, affinity: Affinity, by: BlameTracker.Statement?)] = []
        for column in columns {
            let carrying = found.filter { $0.carried[column.name] != nil }
            guard !carrying.isEmpty else {
                // A rebuild declares the columns that it leaves out.
                if !isRebuild { gone.append(column.name) }
                continue
            }
            if let change = try affinityChange(of: column, carrying) {
                changed.append((column, change.0, change.1))
            }
        }
        for (column, count) in zip(gone, try StoredValues.counts(gone, of: table, core) ?? []) where count > 0 {
            progress.columnLosses.append(
                ColumnLoss(table: old, column: column, kind: .gone, count: count, statement: statement))
        }
        for (column, affinity, copying) in changed {
            let count = try StoredValues.changed(column.name, to: affinity, in: table, core)
            guard count > 0 else { continue }
            progress.columnLosses.append(
                ColumnLoss(
                    table: old, column: column.name, kind: .changed, count: count, statement: copying ?? statement))
        }
    }

    /// The affinity under which the values of a column stand now, if none of its copies has its own, and the statement
    /// that copied them, if it is one of this migration.
    private func affinityChange(
        of column: StoredColumn, _ carrying: [RowMoves.Move]
    ) throws -> (Affinity, BlameTracker.Statement?)? {
        var change: (Affinity, BlameTracker.Statement?)?
        for move in carrying {
            guard let targets = move.carried[column.name], let name = moves.name(move.to) else {
                continue
            }
            for target in try StoredColumn.all(of: name, core) where targets.contains(target.name) {
                guard column.affinity.changesValues(under: target.affinity) else { return nil }
                let isOwn = move.migration == moves.migration
                change = (target.affinity, isOwn ? move.statement : nil)
            }
        }
        return change
    }

    // MARK: After a statement

    /// Notes what the statement announced last has done.
    func settle() throws {
        guard let last = announced else { return }
        announced = nil
        let total = core.totalChanges - last.totalChanges
        let direct = min(core.changes, total)
        if !last.changesSchema {
            progress.suspects.settle(hasChanges: total > 0, reachesOthers: total > direct)
        }
        guard let fill = last.fill else { return }
        let name = fill.target.spelling
        var rows = direct
        if fill.isCreation {
            moves.make(fill.target, isTemporary: fill.isTemporary)
            rows = try StoredValues.rows(of: fill.target, core)
        }
        let targets = try StoredColumn.all(of: fill.target, core).filter(\.isStored).map(\.name)
        let to = moves.number(fill.target)
        for source in try sources(of: fill, last.sources).sorted() where source != fill.target {
            guard !source.hasPrefix("sqlite_"), !source.hasPrefix(SQLName("\(name)_")) else {
                continue
            }
            let columns = try StoredColumn.all(of: source, core).filter(\.isStored).map(\.name)
            guard !columns.isEmpty else { continue }
            let carried = fill.carried(from: source, columns, to: targets)
            moves.add(
                .init(
                    from: moves.number(source), to: to, sql: last.statement.sql, carried: carried,
                    isWhole: columns.allSatisfy { carried[$0]?.isEmpty == false },
                    statement: last.statement, migration: moves.migration, rows: rows))
        }
    }

    /// The tables whose rows a statement copies. SQLite reports what it reads: also the parents that foreign keys look
    /// up, and nothing if it can copy whole rows.
    private func sources(of fill: FillStatement, _ read: Set<SQLName>) throws -> Set<SQLName> {
        let views = try core.ask("SELECT name FROM main.sqlite_schema WHERE type = 'view'") { row in
            try row[0] as SQLName
        }
        if let source = fill.source, !views.contains(source) { return [source] }
        let named = read.intersection(fill.words)
        guard !fill.words.isDisjoint(with: views) else { return named }
        let parents = known?.keys.keys[fill.target]?.map(\.parent) ?? []
        return named.union(read.subtracting(parents))
    }

    // MARK: At the end

    /// The table under its present name, which another table can have had before.
    func successor(of table: SQLName, _ after: SchemaCatalogue) -> CatalogueEntry? {
        guard !allowances.countsOnly, let number = progress.numbers[table] else { return nil }
        return moves.name(number).flatMap { after.countedTable($0) }
    }

    /// Whether rows that a table has lost stand in tables that the run filled from it.
    func wereMoved(_ count: Int64, from table: SQLName, wholeOnly: Bool, _ after: SchemaCatalogue) throws -> Bool {
        guard !allowances.countsOnly, let number = progress.numbers[table] else { return false }
        let standing = try moves.standing(from: number, wholeOnly: wholeOnly) { name in
            guard let entry = after.countedTable(name) else { return nil }
            if let known = progress.rowsNow[name] { return known }
            return try RowCounts.rows(entry.name, core)
        }
        return standing >= count
    }

    /// What is lost of a table that has no fewer rows than before; nil for nothing.
    func replacedRows(
        of table: SQLName, _ count: Int64, in new: CatalogueEntry, _ after: SchemaCatalogue
    ) throws -> String? {
        guard !allowances.countsOnly, let number = progress.numbers[table] else { return nil }
        let isRemade = progress.dropped.contains(number)
        if isRemade, progress.keysBefore[table] == nil {
            guard try !wereMoved(count, from: table, wholeOnly: false, after) else { return nil }
            return "\(table.spelling) was dropped and made again, without its " + counted(Int(clamping: count), "row")
        }
        guard let missing = try progress.keysBefore[table]?.missing(from: new.name, core),
            missing > 0
        else { return nil }
        guard try !wereMoved(Int64(missing), from: table, wholeOnly: true, after) else {
            return nil
        }
        return "\(counted(missing, "row")) of \(new.name.spelling) "
            + "\(missing == 1 ? "was" : "were") deleted and others inserted"
    }
}
