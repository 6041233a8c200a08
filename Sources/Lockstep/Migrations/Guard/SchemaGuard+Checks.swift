extension SchemaGuard {
    /// Compares everything that the migration touched with its earlier state. The knowledge then serves the next
    /// migration, after this one is committed.
    /// - Parameters:
    ///   - allowances: The declared exceptions.
    /// - Returns: The errors that the allowances permit.
    /// - Throws: ``LockstepError/Code/rowsLost``, ``LockstepError/Code/valuesLost``,
    ///   ``LockstepError/Code/foreignKeysBroken``, ``LockstepError/Code/schemaBroken``, or
    ///   ``LockstepError/Code/denied`` for a table whose name is reserved
    ///   for the engine.
    func requireSound(
        _ allowances: Allowances, _ changes: TableChanges
    ) throws -> [LockstepError] {
        core.watch = nil
        knownBefore = known
        // The migration did not write.
        guard let before = known else { return [] }
        var after = before
        var difference = SchemaCatalogue.Difference()
        after.schemaVersion = try core.schemaVersion()
        if progress.changesSchema, let extended = progress.extended {
            let mayHaveNew = progress.schema.addsObjects || after.catalogue.hasVirtualTables
            difference = try after.catalogue.extend(core, extended, looksForNew: mayHaveNew)
        } else if progress.changesSchema || after.schemaVersion != before.schemaVersion {
            difference = try after.catalogue.refresh(core)
        }
        var tolerated: [LockstepError] = []
        try requireEffects(after.catalogue, changes, &tolerated)
        // What is left concerns the schema, which a batch cannot change, and references, which its statement can break only
        // while foreign keys are off.
        guard part == nil || progress.changesSchema else {
            after.orphans = [:]
            known = after
            return tolerated
        }
        try requireRowIDs(before.catalogue, after.catalogue, &tolerated)
        try requireDependents(before.catalogue, after.catalogue, &tolerated)
        try requireOwnNames(difference, before)
        let children = try requireParents(before, &after, difference, allowances, &tolerated)
        try requireUsable(before, &after, difference, children, allowances)
        known = after
        return tolerated
    }

    private func requireOwnNames(
        _ difference: SchemaCatalogue.Difference, _ before: Knowledge
    ) throws(LockstepError) {
        for table in difference.added
        where table.hasRows && table.name.hasPrefix("lockstep_") && before.catalogue.countedTable(table.name) == nil {
            suspect = progress.suspects.changing([table.name])
            throw LockstepError(
                .denied,
                "\(table.name.spelling) is refused: names that begin with lockstep_ are reserved for the "
                    + "engine",
                hint: "choose another name", context: .init(table: table.name.spelling))
        }
    }

    // MARK: Foreign keys

    /// - Returns: The tables whose parents can now be referenced by other columns than before.
    private func requireParents(
        _ before: Knowledge, _ after: inout Knowledge, _ difference: SchemaCatalogue.Difference,
        _ allowances: Allowances, _ tolerated: inout [LockstepError]
    ) throws -> Set<SQLName> {
        let (changed, affected) = try after.keys.update(difference, core)
        let brokenBefore = before.keys.broken
        for reference in after.keys.broken.subtracting(brokenBefore).sorted() {
            suspect = progress.suspects.changing([reference.child, reference.parent])
            try breakReference(
                reference, "a foreign key has nothing to refer to: \(reference)",
                "the parent must exist and its columns must be its primary key or unique",
                missing: .init(.parent, reference.parent.spelling), after, allowances, &tolerated)
            suspect = nil
            let orphans = progress.orphansBefore[reference.child]
            after.heldOrphans[reference] = orphans?[reference.parent] ?? 0
        }
        // Their rows are compared with the time before they were broken.
        let repaired = before.heldOrphans.filter { !after.keys.broken.contains($0.key) }
        for reference in repaired.keys { after.heldOrphans[reference] = nil }
        forgetOrphans(&after, changed.union(affected))
        var violations: [ForeignKeys.Reference: (count: Int, before: Int)] = [:]
        for child in progress.children.union(changed).union(repaired.keys.map(\.child))
        where after.keys.keys[child] != nil {
            let counts = isNewAndEmpty(child, before) ? [:] : try ForeignKeys.orphans(child, core)
            after.orphans[child] = counts
            let old = progress.orphansBefore[child] ?? [:]
            for (parent, count) in counts {
                let reference = ForeignKeys.Reference(child: child, parent: parent)
                violations[reference] = (count, repaired[reference] ?? old[parent] ?? 0)
            }
        }
        // While a reference itself is broken, each of its rows is a violation, and that is reported already.
        for (reference, found) in violations.sorted(by: { $0.key < $1.key })
        where found.count > found.before && !after.keys.broken.contains(reference)
            && (!brokenBefore.contains(reference) || repaired[reference] != nil)
        {
            suspect = progress.suspects.orphaning(reference.child) ?? progress.suspects.changing([reference.child])
            try breakReference(
                reference,
                "\(counted(found.count, "row")) of \(reference) \(found.count == 1 ? "has" : "have") no parent",
                "insert the parents first, or delete the children and declare it", after, allowances, &tolerated)
            suspect = nil
        }
        return affected
    }

    private func breakReference(
        _ reference: ForeignKeys.Reference, _ what: String, _ hint: String,
        missing: LockstepError.MissingObject? = nil, _ after: Knowledge,
        _ allowances: Allowances, _ tolerated: inout [LockstepError]
    ) throws(LockstepError) {
        let table = after.catalogue.relations[reference.child]?.name ?? reference.child
        let context = LockstepError.Context(table: table.spelling, missing: missing)
        guard !allowances.brokenReferences.contains(reference.child) else {
            tolerated.append(LockstepError(.foreignKeysBroken, "as declared, \(what)", context: context))
            return
        }
        guard missing == nil || !allowances.repairedLater.contains(reference.child) else {
            tolerated.append(
                LockstepError(
                    .foreignKeysBroken, "\(what), until a later version of this run repairs it", context: context))
            return
        }
        let declare = allowances.advice(.allowBrokenReferences(table: table.spelling))
        try refuse(
            .allowBrokenReferences(table: table.spelling), .foreignKeysBroken, what,
            advice: "\(hint); if a later version repairs it, or it is intended, \(declare)", context: context)
    }

    /// Discards counts that can have become wrong. If no rows lacked a parent, neither deleted children nor new
    /// parents change that.
    private func forgetOrphans(_ after: inout Knowledge, _ changed: Set<SQLName>) {
        for child in changed { after.orphans[child] = nil }
        for table in progress.written.union(progress.losing) {
            for child in after.keys.children(of: table).union([table])
            where after.orphans[child]?.isEmpty == false {
                after.orphans[child] = nil
            }
        }
    }

    private func isNewAndEmpty(_ table: SQLName, _ before: Knowledge) -> Bool {
        before.catalogue.relations[table] == nil && progress.schema.created.contains(table)
            && !progress.written.contains(table) && progress.schema.altered.isEmpty
    }

    // MARK: Use

    private func requireUsable(
        _ before: Knowledge, _ after: inout Knowledge, _ difference: SchemaCatalogue.Difference,
        _ children: Set<SQLName>, _ allowances: Allowances
    ) throws {
        // Only schema statements can change which objects are usable.
        guard !progress.isFirstChange, let known = before.unusable else { return }
        // An object that depends on one that was already unusable need not fail in the same place.
        let isAll = !known.isEmpty || before.isOpaque || after.isOpaque
        let objects = isAll ? after.catalogue.objects : AffectedObjects.of(difference, children, in: after.catalogue)
        let expected = known.union(unwritable(after, allowances))
        var failures = SchemaUsability.failures(of: objects, core)
        if failures.contains(where: { !expected.contains($0.object) }), !isAll {
            // Reports the first failure of all objects.
            failures = SchemaUsability.failures(of: after.catalogue.objects, core)
        }
        if let failure = failures.first(where: { !expected.contains($0.object) }) {
            suspect = progress.suspects.changing([failure.name])
            throw failure.error
        }
        after.unusable = Set(failures.map(\.object))
        if !after.foreignKeysCount { after.halfProbed.formUnion(objects.map(\.name)) }
    }

    /// Tables whose broken references would need a declaration.
    private var missingParents: Set<SQLName> {
        Set(
            missing.compactMap {
                guard case .allowBrokenReferences(let table) = $0.directive else { return nil }
                return SQLName(table)
            })
    }

    /// Titles of the tables that can be read but not written, because broken references are declared for them.
    private func unwritable(_ after: Knowledge, _ allowances: Allowances) -> Set<ExactText> {
        Set(
            allowances.brokenReferences.union(allowances.repairedLater).union(missingParents).compactMap { child in
                guard after.keys.isBroken(child), let table = after.catalogue.relations[child],
                    core.refusal(
                        of: "SELECT * FROM main.\(SQLTokens.quote(table.name.spelling))")
                        == nil
                else { return nil }
                return ExactText(table.title)
            })
    }
}
