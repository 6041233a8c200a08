/// Which tables, views and triggers may have become unusable by a change of the schema.
///
/// An object can only be broken by what it names, and a broken one shows when it is probed itself. So it is
/// enough to follow names: from what has changed to the views that name it, on through views, whose columns
/// are those of what they select from, and to the triggers and virtual tables that name any of these.
enum AffectedObjects {
    /// - Parameter children: Tables whose parents can be referred to by other columns than before.
    /// - Returns: In the order of the schema.
    static func of(
        _ difference: SchemaCatalogue.Difference, _ children: Set<String>,
        in catalogue: SchemaCatalogue
    ) -> [CatalogueEntry] {
        var affected: [Int64: CatalogueEntry] = [:]
        func add(_ object: CatalogueEntry?) {
            if let object { affected[object.rowID] = object }
        }
        for object in difference.added { add(object) }
        for object in difference.added + difference.removed {
            // A statement on the table compiles its triggers and keeps its indexes.
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

    /// What is no longer what it was: a name that is only new cannot have been named before, except in vain,
    /// and then its namers were unusable.
    private static func changedNames(_ difference: SchemaCatalogue.Difference) -> Set<String> {
        var names: Set<String> = []
        for object in difference.removed {
            names.insert(object.key)
            // An upsert in a trigger needs the unique index that it names by its columns.
            if case .index = object.kind { names.insert(object.table) }
        }
        return names
    }

    private static func addDependents(
        of names: Set<String>, in catalogue: SchemaCatalogue, _ add: (CatalogueEntry) -> Void
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
                if object.kind == .view, names.insert(object.key).inserted { hasGrown = true }
                return true
            }
        }
    }

    private static func isOwner(_ object: CatalogueEntry, of names: Set<String>) -> Bool {
        object.isVirtual && names.contains { $0.hasPrefix("\(object.key)_") }
    }
}
