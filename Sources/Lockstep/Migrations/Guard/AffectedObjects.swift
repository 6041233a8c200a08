/// Which tables, views and triggers may have become unusable by a change of the schema.
///
/// An object can only be broken by what it names, and a broken one shows when it is probed itself. So it is
/// enough to follow names: from what has changed to the views that name it, on through views, whose columns
/// are those of what they select from, and to the triggers and virtual tables that name any of these.
enum AffectedObjects {
    /// - Parameters:
    ///   - children: Tables whose parents can be referred to by other columns than before.
    ///   - pending: Titles of objects that are looked at whatever has changed.
    static func of(
        _ difference: SchemaCatalogue.Difference, _ children: Set<String>,
        in catalogue: SchemaCatalogue,
        also pending: Set<String> = []
    ) -> [CatalogueEntry] {
        let fresh = Set(difference.added.map(\.rowID))
        var tables = children
        for object in difference.added + difference.removed {
            // A statement on the table compiles its triggers and keeps its indexes.
            switch object.kind {
            case .index, .trigger: tables.insert(object.table)
            default: continue
            }
        }
        let names = changedNames(difference)
        let named = names.isEmpty ? [] : dependents(of: names, in: catalogue)
        return catalogue.objects.filter { object in
            fresh.contains(object.rowID) || named.contains(object.rowID)
                || (object.isTable && tables.contains(object.key))
                || (!pending.isEmpty && pending.contains(object.title))
        }
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

    private static func dependents(
        of names: Set<String>, in catalogue: SchemaCatalogue
    ) -> Set<Int64> {
        var names = names
        var found: Set<Int64> = []
        let namers = catalogue.objects.filter { !$0.words.isEmpty }
        var hasGrown = true
        while hasGrown {
            hasGrown = false
            for object in namers where !found.contains(object.rowID) {
                guard !object.words.isDisjoint(with: names) || isOwner(object, of: names) else {
                    continue
                }
                found.insert(object.rowID)
                if object.kind == .view {
                    names.insert(object.key)
                    hasGrown = true
                }
            }
        }
        return found
    }

    private static func isOwner(_ object: CatalogueEntry, of names: Set<String>) -> Bool {
        object.isVirtual && names.contains { $0.hasPrefix("\(object.key)_") }
    }
}
