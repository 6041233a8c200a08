/// The schema as last read, and its changes since.
struct SchemaCatalogue {
    /// In the order of the schema's rows.
    private(set) var objects: [CatalogueEntry] = []
    /// Tables and views.
    private(set) var relations: [SQLName: CatalogueEntry] = [:]
    private(set) var triggers: [SQLName: CatalogueEntry] = [:]
    private var virtualTables: Set<SQLName> = []
    private var replacing: Set<Int64> = []
    /// The objects whose SQL names other objects.
    private(set) var namers: [Int64: CatalogueEntry] = [:]

    /// Removed and added objects; a changed object is in both.
    struct Difference {
        var removed: [CatalogueEntry] = []
        var added: [CatalogueEntry] = []
        /// Tables in both that only gained columns.
        var widened: Set<SQLName> = []
    }

    /// Reads the schema of an open database.
    init(_ core: ConnectionCore) throws { _ = try refresh(core) }

    /// Whether any object in the schema can remove rows that a statement does not name.
    var mayReplace: Bool { !replacing.isEmpty }

    /// Whether virtual tables exist, whose modules can create other tables.
    var hasVirtualTables: Bool { !virtualTables.isEmpty }

    /// The virtual tables whose rows can change when these tables are written. SQLite's modules store their
    /// content in tables whose names begin with the virtual table's name; for other modules every table counts.
    func virtualTables(touchedBy written: Set<SQLName>) -> Set<SQLName> {
        guard !virtualTables.isEmpty, !written.isEmpty else { return [] }
        return virtualTables.filter { table in
            guard case .virtualTable(_, let isKnown) = relations[table]?.kind, isKnown else {
                return true
            }
            return written.contains { $0 == table || $0.hasPrefix("\(table.spelling)_") }
        }
    }

    /// The table of this name, if its rows are counted.
    func countedTable(_ name: SQLName) -> CatalogueEntry? {
        guard let object = relations[name], object.hasRows else { return nil }
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
            "SELECT \(CatalogueEntry.columns) FROM main.sqlite_schema"
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
            let object = try CatalogueEntry(row)
            fresh.append(object)
            difference.added.append(object)
        }
        difference.removed += objects[position...]
        objects = fresh
        apply(&difference)
        return difference
    }

    /// Reads the objects that were added at the end of the schema, and reads the definitions of these tables
    /// again, to which columns were added. Use it only if nothing else can have changed.
    /// - Parameter looksForNew: Whether objects can have been added.
    mutating func extend(
        _ core: ConnectionCore, _ tables: Set<SQLName>, looksForNew: Bool
    ) throws -> Difference {
        var difference = Difference()
        let last = objects.last?.rowID ?? 0
        for table in tables {
            guard let known = relations[table], let index = objects.firstIndex(where: { $0 === known }),
                let object = try core.ask(
                    "SELECT \(CatalogueEntry.columns) FROM main.sqlite_schema WHERE rowid = ?",
                    known.rowID, row: { row in try CatalogueEntry(row) }
                ).first
            else { continue }
            difference.removed.append(known)
            difference.added.append(object)
            difference.widened.insert(table)
            objects[index] = object
        }
        if looksForNew {
            let new = try core.ask(
                "SELECT \(CatalogueEntry.columns) FROM main.sqlite_schema WHERE rowid > ?", last
            ) { row in try CatalogueEntry(row) }
            difference.added += new
            objects += new
        }
        apply(&difference)
        return difference
    }

    private mutating func apply(_ difference: inout Difference) {
        for object in difference.removed { forget(object) }
        for object in difference.added { learn(object) }
        reportShadows(&difference)
    }

    private func isSame(_ known: CatalogueEntry, _ row: borrowing Row) throws -> Bool {
        guard try row[1] as Int64? ?? 0 == known.rootPage else { return false }
        // The SQL contains the name; the indexes of constraints have no SQL.
        guard known.sqlBytes.isEmpty else { return row.holds(known.sqlBytes, at: 2) }
        return try row[2] as String? == nil && known.name.spelling.hasSameBytes(as: row[4])
    }

    private mutating func learn(_ object: CatalogueEntry) {
        if object.mayReplace { replacing.insert(object.rowID) }
        if !object.words.isEmpty { namers[object.rowID] = object }
        switch object.kind {
        case .index: break
        case .trigger: triggers[object.name] = object
        default: relations[object.name] = object
        }
        if object.isVirtual { virtualTables.insert(object.name) }
    }

    private mutating func forget(_ object: CatalogueEntry) {
        replacing.remove(object.rowID)
        namers[object.rowID] = nil
        switch object.kind {
        case .index: break
        case .trigger: triggers[object.name] = nil
        default: relations[object.name] = nil
        }
        virtualTables.remove(object.name)
    }

    /// Marks the tables that a virtual table owns by their name. PRAGMA table_list would report them only after a
    /// use of the virtual table.
    private mutating func reportShadows(_ difference: inout Difference) {
        guard !virtualTables.isEmpty || difference.removed.contains(where: \.isVirtual) else {
            return
        }
        for index in objects.indices where objects[index].isTable && !objects[index].isVirtual {
            let object = objects[index]
            let isShadow = virtualTables.contains {
                relations[$0]?.hasContent(in: object.name) == true
            }
            guard isShadow != (object.kind == .shadowTable) else { continue }
            objects[index] = CatalogueEntry(object, isShadow: isShadow)
            relations[object.name] = objects[index]
            if let position = difference.added.firstIndex(where: { $0 === object }) {
                difference.added[position] = objects[index]
            }
        }
    }

}
