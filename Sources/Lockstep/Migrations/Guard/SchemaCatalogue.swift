/// The schema as it was last read, and what has changed since.
struct SchemaCatalogue {
    /// In the order of the schema's rows.
    private(set) var objects: [CatalogueEntry] = []
    /// Tables and views by their names in lower case.
    private(set) var relations: [String: CatalogueEntry] = [:]
    private(set) var triggers: [String: CatalogueEntry] = [:]
    private var virtualTables: Set<String> = []
    private var replacing: Set<Int64> = []

    /// What has come and gone; an object that has changed is in both.
    struct Difference {
        var removed: [CatalogueEntry] = []
        var added: [CatalogueEntry] = []
        var isEmpty: Bool { removed.isEmpty && added.isEmpty }
    }

    /// Reads the schema of an open database.
    init(_ core: ConnectionCore) throws { _ = try refresh(core) }

    /// Whether anything in the schema may remove rows that a statement does not name.
    var mayReplace: Bool { !replacing.isEmpty }

    /// The virtual tables whose rows may change when these tables are written: the content of those of
    /// SQLite lies in tables whose names begin with theirs; what others do nobody knows.
    func virtualTables(touchedBy written: Set<String>) -> Set<String> {
        guard !virtualTables.isEmpty, !written.isEmpty else { return [] }
        return virtualTables.filter { table in
            guard case .virtualTable(_, let isKnown) = relations[table]?.kind, isKnown else {
                return true
            }
            return written.contains { $0 == table || $0.hasPrefix("\(table)_") }
        }
    }

    /// The table of this name whose rows are counted.
    func countedTable(_ key: String) -> CatalogueEntry? {
        guard let object = relations[key], object.hasRows else { return nil }
        return object
    }

    // MARK: Reading

    /// Reads the schema again.
    mutating func refresh(_ core: ConnectionCore) throws -> Difference {
        var difference = Difference()
        var fresh: [CatalogueEntry] = []
        fresh.reserveCapacity(objects.count + 8)
        var position = 0
        _ = try core.ask(
            "SELECT rowid, rootpage, type, name, tbl_name, coalesce(sql, '') FROM main.sqlite_schema"
        ) { row in
            let rowID: Int64 = try row[0]
            while position < objects.count, objects[position].rowID < rowID {
                difference.removed.append(objects[position])
                position += 1
            }
            if position < objects.count, objects[position].rowID == rowID {
                let known = objects[position]
                position += 1
                if try isSame(known, row) { return fresh.append(known) }
                difference.removed.append(known)
            }
            let object = CatalogueEntry(
                rowID: rowID, type: try row[2], name: try row[3], table: try row[4],
                rootPage: try row[1] as Int64? ?? 0, sql: try row[5])
            fresh.append(object)
            difference.added.append(object)
        }
        difference.removed += objects[position...]
        objects = fresh
        for object in difference.removed { forget(object) }
        for object in difference.added { learn(object) }
        try tellShadows(difference, core)
        return difference
    }

    private func isSame(_ known: CatalogueEntry, _ row: borrowing Row) throws -> Bool {
        try row[1] as Int64? ?? 0 == known.rootPage && row[3] as String == known.name
            && row[5] as String == known.sql
    }

    private mutating func learn(_ object: CatalogueEntry) {
        if object.mayReplace { replacing.insert(object.rowID) }
        switch object.kind {
        case .index: break
        case .trigger: triggers[object.key] = object
        default: relations[object.key] = object
        }
        if object.isVirtual { virtualTables.insert(object.key) }
    }

    private mutating func forget(_ object: CatalogueEntry) {
        replacing.remove(object.rowID)
        switch object.kind {
        case .index: break
        case .trigger: triggers[object.key] = nil
        default: relations[object.key] = nil
        }
        virtualTables.remove(object.key)
    }

    /// A table whose name begins with a virtual table's may be its own; only the module knows.
    private mutating func tellShadows(
        _ difference: Difference, _ core: ConnectionCore
    ) throws {
        guard !virtualTables.isEmpty || difference.removed.contains(where: \.isVirtual) else {
            return
        }
        for index in objects.indices where objects[index].isTable && !objects[index].isVirtual {
            let object = objects[index]
            let isShadow =
                try hasOwner(object.key)
                && core.ask(
                    "SELECT type FROM pragma_table_list(?) WHERE schema = 'main'", object.name
                ) { row in try row[0] as String }.first == "shadow"
            guard isShadow != (object.kind == .shadowTable) else { continue }
            objects[index] = CatalogueEntry(object, isShadow: isShadow)
            relations[object.key] = objects[index]
        }
    }

    private func hasOwner(_ key: String) -> Bool {
        virtualTables.contains { key.hasPrefix("\($0)_") }
    }
}
