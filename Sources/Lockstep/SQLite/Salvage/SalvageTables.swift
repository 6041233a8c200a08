/// The part of a salvage that recreates the schema.
extension SalvageRun {
    /// Creates the tables that can be created, and passes every table of the damaged file to `body` with its
    /// shape in the new one.
    func makeTables(
        _ schema: SavedSchema, _ target: SalvageTarget,
        each body: (SchemaObject, TableShape?, _ isShadow: Bool) throws -> Void
    ) throws {
        let tables = schema.objects.filter { $0.kind == .table }
        // Virtual tables create their shadow tables themselves.
        for table in tables where table.isVirtual {
            guard try !isAddition || !target.hasTable(table.name) else { continue }
            try attempt(table) { try target.run(table.sql ?? "") }
        }
        if !isAddition, tables.contains(where: { SQLName($0.name) == "sqlite_stat1" }) {
            // Creates the table, which CREATE TABLE cannot, and leaves it empty.
            try target.run("ANALYZE main.sqlite_schema")
        }
        let shadows = try target.shadowTables()
        // Of SQLite's modules, only FTS5 has a table for settings.
        fullText = Set(
            tables.filter { $0.isVirtual && shadows.contains("\($0.name)_config") }
                .map { SQLName($0.name) })
        // Those of SQLite itself appear with the first table that needs them.
        let ordered = tables.filter { !$0.isInternal } + tables.filter(\.isInternal)
        for table in ordered where !table.isVirtual {
            let isShadow = shadows.contains(SQLName(table.name))
            try body(table, try make(table, target), isShadow)
        }
    }

    /// The table's shape, or nil if it could not be created.
    private func make(_ table: SchemaObject, _ target: SalvageTarget) throws -> TableShape? {
        var shape: TableShape?
        try attempt(table) {
            if try !target.hasTable(table.name) {
                // Without an AUTOINCREMENT table there is no counter to continue.
                guard SQLName(table.name) != "sqlite_sequence" else { return }
                guard !table.isInternal, let sql = table.sql else {
                    throw LockstepError(.sqlFailed, "only SQLite itself can create it; run ANALYZE")
                }
                try target.run(sql)
            }
            shape = try target.shape(of: table.name)
            guard let made = shape else { return }
            do {
                try target.requireInsertable(made)
            } catch {
                shape = nil
                throw cleaningUp(after: error) {
                    if !table.isInternal { try target.drop(table.name) }
                }
            }
        }
        return shape
    }

    /// Indexes, then views, then triggers, which can belong to a view.
    func makeRest(_ schema: SavedSchema, _ target: SalvageTarget) throws {
        for kind in [SchemaObject.Kind.index, .view, .trigger] {
            for object in schema.objects where object.kind == kind {
                guard let sql = object.sql else { continue }
                try attempt(object) { try target.run(sql) }
            }
        }
    }

    /// Reports an object that cannot be created, and continues. A full or failing disk ends the salvage.
    private func attempt(_ object: SchemaObject, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch let error as LockstepError {
            guard [.sqlFailed, .constraint, .misuse, .denied, .damaged].contains(error.code) else {
                throw error
            }
            fail("\(object.kind.rawValue) \(object.name)", error)
        }
    }

    func fail(_ object: String, _ error: LockstepError) {
        report.failures.append(SalvageReport.Failure(object: object, reason: error.message))
    }

    /// Builds the indexes of FTS5 tables, and those of older full-text tables that were not recovered
    /// completely.
    func mendVirtualTables(_ schema: SavedSchema, _ target: SalvageTarget) throws {
        let shadows = try target.shadowTables()
        let incomplete = Set(
            report.tables.filter { !$0.isComplete }.map { SQLName($0.name) }
        ).intersection(shadows)
        for table in schema.objects where table.isVirtual {
            if fullText.contains(SQLName(table.name)) {
                try attempt(table) {
                    try FullTextIndex(name: table.name).build(target.connection)
                }
                continue
            }
            let prefix: SQLName = "\(table.name)_"
            let isFullText = SQLTokens.normalize(table.sql ?? "").contains(" using fts")
            // Without MACs its index can be anything.
            guard
                incomplete.contains(where: { $0.hasPrefix(prefix) })
                    || (isFullText && !source.isAuthenticated)
            else { continue }
            try attempt(table) {
                guard isFullText else {
                    throw LockstepError(.damaged, "part of its content was lost")
                }
                try target.rebuildFullText(table.name)
                // Only the texts themselves cannot be rebuilt.
                report.tables.removeAll { shadow in
                    let name = SQLName(shadow.name)
                    let part = name.part(after: prefix)
                    return incomplete.contains(name) && part.map { Self.derivedTables.contains($0) } == true
                }
            }
        }
    }

    /// The tables of FTS3 and FTS4 that hold their index.
    private static let derivedTables: Set<SQLName> = ["docsize", "segments", "segdir", "stat"]
}
