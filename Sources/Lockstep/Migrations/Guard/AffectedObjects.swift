/// The tables, views and triggers that a change of the schema can have made unusable.
///
/// Only the objects that an object names can break it, and probing the object itself shows that it is broken. It
/// is therefore sufficient to follow names: from the changed objects to the views that name them, on through
/// further views, whose columns come from what they select, and to the triggers and virtual tables that name any
/// of these.
enum AffectedObjects {
    /// - Parameter children: Tables whose parents can now be referenced by other columns than before.
    /// - Returns: The objects in schema order.
    static func of(
        _ difference: SchemaCatalogue.Difference, _ children: Set<SQLName>,
        in catalogue: SchemaCatalogue
    ) -> [CatalogueEntry] {
        var affected: [Int64: CatalogueEntry] = [:]
        func add(_ object: CatalogueEntry?) {
            if let object { affected[object.rowID] = object }
        }
        for object in difference.added { add(object) }
        for object in difference.added + difference.removed {
            // A statement on the table compiles its triggers and maintains its indexes.
            switch object.kind {
            case .index, .trigger: add(catalogue.relations[object.table])
            default: continue
            }
        }
        for name in children { add(catalogue.relations[name]) }
        let names = changedNames(difference)
        if !names.isEmpty { addDependents(of: names, in: catalogue, add) }
        return affected.values.sorted { $0.rowID < $1.rowID }
    }

    /// The names that have changed their meaning. An added name does not count: objects that already named it
    /// were unusable.
    private static func changedNames(_ difference: SchemaCatalogue.Difference) -> Set<SQLName> {
        var names: Set<SQLName> = []
        for object in difference.removed {
            names.insert(object.name)
            // An upsert in a trigger needs a unique index, which it names by its columns.
            if case .index = object.kind { names.insert(object.table) }
        }
        return names
    }

    private static func addDependents(
        of names: Set<SQLName>, in catalogue: SchemaCatalogue, _ add: (CatalogueEntry) -> Void
    ) {
        var names = names
        var namers = Array(catalogue.namers.values)
        var hasGrown = true
        while hasGrown {
            hasGrown = false
            namers.removeAll { object in
                guard !object.words.isDisjoint(with: names) || isOwner(object, of: names) else {
                    return false
                }
                add(object)
                if object.kind == .view, names.insert(object.name).inserted { hasGrown = true }
                return true
            }
        }
    }

    private static func isOwner(_ object: CatalogueEntry, of names: Set<SQLName>) -> Bool {
        object.isVirtual && names.contains { $0.hasPrefix("\(object.name.spelling)_") }
    }
}
