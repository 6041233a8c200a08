extension SchemaGuard {
    /// Requires that a full-text table over a table whose rows have other row ids now still finds the right ones. SQLite
    /// numbers the rows of a table without INTEGER PRIMARY KEY as they are inserted.
    func requireRowIDs(
        _ before: SchemaCatalogue, _ after: SchemaCatalogue, _ tolerated: inout [LockstepError]
    ) throws {
        let indexes = before.objects.filter { $0.isVirtual && after.relations[$0.name] != nil }
            .compactMap { ExternalContent(SQLCursor($0.sql)) }
        guard !indexes.isEmpty else { return }
        for (number, table) in progress.touched.sorted(by: { $0.value.formerName < $1.value.formerName })
        where table.isChanging && !table.image.hasRowIDAlias && !allowances.unchecked.contains(table.formerName) {
            let own = indexes.filter {
                // exact: names of SQLite
                $0.content == table.formerName && ($0.rowID.map { RowIDName.all.contains($0) } ?? true)
            }
            guard !own.isEmpty, let (successor, _) = successor(of: number, table, after),
                let image = try TableImage(successor, core), try areOthers(table, image)
            else { continue }
            for index in own where try !finds(index.index) {
                let (name, spelling) = (table.formerName.spelling, index.index.spelling)
                let what = "rows of \(name) have other row ids, and \(spelling) finds other rows by the former ones"
                let context = LockstepError.Context(table: name, column: "rowid")
                guard allowances.changedValues[table.formerName]?.isDisjoint(with: RowIDName.all) ?? true else {
                    tolerated.append(LockstepError(.valuesLost, "as declared, \(what)", context: context))
                    continue
                }
                suspect = progress.suspects.taking(table.formerName)
                try refuse(
                    .allowChangedValues(table: name, column: "rowid"), .valuesLost, what,
                    advice: """
                        fill it again at the end: `INSERT INTO \(spelling) (\(spelling)) VALUES ('rebuild');`, or give \
                        \(name) an INTEGER PRIMARY KEY
                        """, context: context)
                suspect = nil
            }
        }
    }

    /// Whether rows that stand have other row ids.
    private func areOthers(_ table: TouchedTable, _ image: TableImage) throws -> Bool {
        guard let old = table.image.rowID, let new = image.rowID else { return true }
        let columns = table.image.stored.map(\.name).filter { image.column($0) != nil }
        guard !columns.isEmpty else { return true }
        let key = try KeyedHash.Key()
        let one = RowSource(core: try beforeRows.core(), table: table.formerName, hashKey: key)
        let two = RowSource(core: core, table: image.name, hashKey: key)
        let (id, now) = (ColumnTerm(sql: old, isLoose: false), ColumnTerm(sql: new, isLoose: false))
        let terms = columns.map(ColumnTerm.stored)
        let sums = (
            try TableSums(one, key: [id], terms), try TableSums(two, key: [now], terms)
        )
        if sums.0.keys == sums.1.keys, sums.0.columns.map(\.values) == sums.1.columns.map(\.values) { return false }
        // More than these are not held: then the index itself is asked.
        guard sums.0.rows + sums.1.rows <= Int64(ContentSearch.limit / 64) else { return true }
        var (rows, contents): (Set<UInt128>, Set<UInt128>) = ([], [])
        try two.forEach([now] + terms) { hashes, _ in
            rows.insert(two.mixed(hashes))
            contents.insert(two.mixed(hashes.dropFirst()))
        }
        var areOthers = false
        try one.forEach([id] + terms) { hashes, _ in
            guard !areOthers, !rows.contains(one.mixed(hashes)) else { return }
            areOthers = contents.contains(one.mixed(hashes.dropFirst()))
        }
        return areOthers
    }

    /// Whether the words of a full-text table are those of the rows that it refers to.
    private func finds(_ index: SQLName) throws -> Bool {
        let name = SQLTokens.quote(index.spelling)
        let isNewer = core.refusal(of: "SELECT rank FROM main.\(name)") == nil
        let sql =
            isNewer
            ? "INSERT INTO main.\(name) (\(name), rank) VALUES ('integrity-check', 1)"
            : "INSERT INTO main.\(name) (\(name)) VALUES ('integrity-check')"
        do {
            _ = try core.ask(SQL(verbatim: sql)) { _ in true }
            return true
        } catch let error as LockstepError where error.context.sqliteCode == ResultCode.virtualTableDamaged {
            return false
        }
    }
}
