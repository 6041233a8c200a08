/// The part of a salvage that makes the schema again.
extension SalvageRun {
    /// Makes what can be made, and gives every table of the damaged file with its shape in the new one.
    func makeTables(
        _ schema: SavedSchema, _ target: SalvageTarget,
        each body: (SchemaObject, TableShape?, _ isShadow: Bool) throws -> Void
    ) throws {
        let tables = schema.objects.filter { $0.kind == .table }
        // They make the tables that their content is in themselves.
        for table in tables where table.isVirtual {
            try attempt(table) { try target.run(table.sql ?? "") }
        }
        if tables.contains(where: { $0.name.asciiLowercased == "sqlite_stat1" }) {
            // The table that nobody may create, empty.
            try target.run("ANALYZE main.sqlite_schema")
        }
        let shadows = try Set(target.shadowTables())
        // Of SQLite's modules only FTS5 has one for settings.
        fullText = Set(
            tables.filter { $0.isVirtual && shadows.contains("\($0.name.asciiLowercased)_config") }
                .map(\.name))
        for table in tables where !table.isVirtual {
            let isShadow = shadows.contains(table.name.asciiLowercased)
            try body(table, try make(table, target), isShadow)
        }
    }

    /// The table's shape, or nil if it could not be made.
    private func make(_ table: SchemaObject, _ target: SalvageTarget) throws -> TableShape? {
        var shape: TableShape?
        try attempt(table) {
            if try !target.hasTable(table.name) {
                // Without a table that counts there is nothing to go on counting from.
                guard table.name.asciiLowercased != "sqlite_sequence" else { return }
                guard !table.isInternal, let sql = table.sql else {
                    throw LockstepError(.sqlFailed, "only SQLite itself can make it; run ANALYZE")
                }
                try target.run(sql)
            }
            shape = try target.shape(of: table.name)
            guard let made = shape else { return }
            do {
                try target.requireInsertable(made)
            } catch {
                shape = nil
                if !table.isInternal { try target.drop(table.name) }
                throw error
            }
        }
        return shape
    }

    /// Indexes, then views, then triggers, which may be a view's.
    func makeRest(_ schema: SavedSchema, _ target: SalvageTarget) throws {
        for kind in [SchemaObject.Kind.index, .view, .trigger] {
            for object in schema.objects where object.kind == kind {
                guard let sql = object.sql else { continue }
                try attempt(object) { try target.run(sql) }
            }
        }
    }

    /// What cannot be made is told, and everything else goes on. A full disk or a failing one ends it.
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

    /// Builds the indexes of FTS5's tables, and those of older full-text tables that did not come back whole.
    func mendVirtualTables(_ schema: SavedSchema, _ target: SalvageTarget) throws {
        let shadows = try target.shadowTables()
        let incomplete = Set(
            report.tables.filter { !$0.isComplete }.map { $0.name.asciiLowercased }
        ).intersection(shadows)
        for table in schema.objects where table.isVirtual {
            if fullText.contains(table.name) {
                try attempt(table) {
                    try FullTextIndex(name: table.name).build(target.connection)
                }
                continue
            }
            let prefix = "\(table.name.asciiLowercased)_"
            guard incomplete.contains(where: { $0.hasPrefix(prefix) }) else { continue }
            try attempt(table) {
                guard SQLTokens.normalize(table.sql ?? "").contains(" using fts") else {
                    throw LockstepError(.damaged, "a part of its content was lost")
                }
                try target.rebuildFullText(table.name)
                // Only the texts themselves cannot be written anew.
                report.tables.removeAll { shadow in
                    let name = shadow.name.asciiLowercased
                    return incomplete.contains(name) && name.hasPrefix(prefix)
                        && Self.derivedTables.contains(String(name.dropFirst(prefix.count)))
                }
            }
        }
    }

    /// The tables of FTS3 and FTS4 that their index is in.
    private static let derivedTables: Set<String> = ["docsize", "segments", "segdir", "stat"]
}
