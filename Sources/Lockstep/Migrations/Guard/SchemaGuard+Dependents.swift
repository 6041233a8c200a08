extension SchemaGuard {
    /// Requires that what hung on a replaced table with rows hangs on its successor: triggers and unique indexes, unless
    /// a statement drops them by name.
    func requireDependents(
        _ before: SchemaCatalogue, _ after: SchemaCatalogue, _ changes: TableChanges, _ tolerated: inout [LockstepError]
    ) throws {
        for table in progress.touched.values.sorted(by: { $0.formerName < $1.formerName })
        where changes.dropped.contains(table.formerName) && !allowances.losses.contains(table.formerName) {
            guard after.countedTable(table.formerName) != nil else { continue }
            let standing = after.objects.filter { $0.table == table.formerName }  // exact: names of SQLite
            for object in before.objects where object.table == table.formerName && !object.sql.isEmpty {
                guard !progress.droppedByName.contains(object.name), !isThere(object, standing) else { continue }
                let context = LockstepError.Context(table: table.formerName.spelling)
                let what = "\(object.title) of \(table.formerName.spelling) is gone, with the table that was replaced"
                guard object.kind == .trigger || object.kind == .index(isUnique: true) else {
                    if object.isIndex { tolerated.append(LockstepError(.schemaBroken, what, context: context)) }
                    continue
                }
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
