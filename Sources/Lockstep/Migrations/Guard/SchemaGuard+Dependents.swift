extension SchemaGuard {
    /// Requires that what hung on a replaced table with rows hangs on its successor: triggers and unique indexes, unless
    /// a statement drops them by name. Of the rules in its definition, which the version writes itself, it only reports.
    func requireDependents(
        _ before: SchemaCatalogue, _ after: SchemaCatalogue, _ tolerated: inout [LockstepError]
    ) throws {
        for (number, table) in progress.touched.sorted(by: { $0.value.formerName < $1.value.formerName })
        where names.known(table.formerName) != number && !allowances.losses.contains(table.formerName) {
            guard let entry = after.countedTable(table.formerName) else { continue }
            if progress.copied[number] == nil { try noteRules(of: table, before, entry, &tolerated) }
            // The former table can still be there, under another name.
            let holders = [table.formerName, names.name(number)].compactMap(\.self)
            let standing = after.objects.filter { holders.contains($0.table) }
            for object in before.objects where object.table == table.formerName && !object.sql.isEmpty {
                guard !progress.droppedByName.contains(object.name), !isThere(object, standing) else { continue }
                let context = LockstepError.Context(table: table.formerName.spelling)
                let what = "\(object.title) of \(table.formerName.spelling) is gone, with the table that was replaced"
                guard object.kind == .trigger || object.kind == .index(isUnique: true) else {
                    if object.isIndex { tolerated.append(LockstepError(.schemaBroken, what, context: context)) }
                    continue
                }
                guard try !isGuardOfGoneColumn(object, entry) else { continue }
                suspect = progress.suspects.changing([table.formerName])
                throw LockstepError(
                    .schemaBroken, what,
                    hint:
                        "make it again after the table is replaced, or use `-- lockstep: rebuild table …`, which keeps "
                        + "it; if it is to go, drop it by its name",
                    context: context)
            }
        }
    }

    /// Whether it guards a sealed column that the successor does not have: it goes with the column.
    private func isGuardOfGoneColumn(_ object: CatalogueEntry, _ successor: CatalogueEntry) throws -> Bool {
        guard let known = SealingGuard(trigger: object.name.spelling, of: object.table.spelling, object.sql) else {
            return false
        }
        return try core.ask(
            "SELECT 1 FROM pragma_table_xinfo(?) WHERE name = ? COLLATE NOCASE", successor.name.spelling, known.column
        ) { _ in true }.isEmpty
    }

    private func noteRules(
        of table: TouchedTable, _ before: SchemaCatalogue, _ entry: CatalogueEntry, _ tolerated: inout [LockstepError]
    ) throws {
        let name = table.formerName.spelling
        guard let old = before.countedTable(table.formerName).flatMap({ TableRules($0.sql) }),
            let new = TableRules(entry.sql)
        else { return }
        func note(_ what: String) {
            tolerated.append(LockstepError(.schemaBroken, what, context: .init(table: name)))
        }
        for (rule, text) in old.all.sorted(by: { $0.key < $1.key }) where new.all[rule] == nil {
            note("\(text) of \(name) is gone, with the table that was replaced")
        }
        guard let highest = table.sequence, try sequence(of: entry, as: entry.name) ?? 0 < highest else { return }
        note("\(name) no longer knows that it has given the id \(highest): ids of deleted rows can come again")
    }

    /// The highest id that AUTOINCREMENT has given; nil without it.
    func sequence(of entry: CatalogueEntry, as name: SQLName) throws -> Int64? {
        guard SQLTokens.hasWord("autoincrement", in: entry.sql) else { return nil }
        return try core.ask("SELECT seq FROM main.sqlite_sequence WHERE name = ?", name.spelling) { row in
            try row[0] as Int64
        }.first
    }

    private func isThere(_ object: CatalogueEntry, _ standing: [CatalogueEntry]) -> Bool {
        // exact: names of SQLite
        if standing.contains(where: { $0.name == object.name && $0.isIndex == object.isIndex }) { return true }
        guard object.isIndex else { return false }
        // The same index can have another name.
        func body(_ entry: CatalogueEntry) -> [String] {
            var cursor = SQLCursor(entry.sql)
            _ = try? cursor.upTo("on")
            return cursor.rest().map { $0.word.isEmpty ? $0.name.folded : $0.word }
        }
        return standing.contains { $0.isIndex && $0.kind == object.kind && body($0) == body(object) }
    }
}
