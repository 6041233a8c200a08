/// The findings about the damaged file before the first row is copied.
struct SalvagePlan {
    /// A table and the pages with its rows.
    struct Table {
        let object: SchemaObject
        /// Nil if the table could not be created.
        var shape: TableShape?
        /// Whether it is a shadow table in the new database.
        var isShadow = false
        var tree: TreeWalk
        /// Pages that were attributed by their content.
        var orphans: [OrphanPage] = []
        /// Leaves that are readable only in an older version and whose rows fit.
        var outdated: [UInt32] = []

        /// Whether pages that nothing leads to can belong to it.
        var mayHaveOrphans: Bool { tree.gaps.contains(where: \.mayHavePages) }
    }

    var tables: [Table] = []
    struct Index {
        let object: SchemaObject
        let tree: TreeWalk
        var entries = 0
        /// Whether an entry is on pages that cannot be read.
        var hasBrokenEntries = false
    }

    /// The indexes. They are rebuilt, but their pages must not be taken for rows.
    var indexes: [Index] = []
    /// Pages with rows whose table is unknown.
    var lost: [OrphanPage] = []

    private let source: PageSource
    private let schema: SavedSchema

    init(_ source: PageSource, _ schema: SavedSchema) {
        self.source = source
        self.schema = schema
    }

    // MARK: Trees

    mutating func walk(_ object: SchemaObject, shape: TableShape?, isShadow: Bool, claimed: inout Set<UInt32>) throws {
        var table = Table(object: object, shape: shape, isShadow: isShadow, tree: TreeWalk())
        if let root = object.root, root > 1 {
            let isTable = try shape?.hasRowIDs ?? isTableRoot(root)
            table.tree = try TreeWalk(root: root, isTable: isTable, source, claimed: &claimed)
        }
        tables.append(table)
    }

    mutating func walk(index: SchemaObject, claimed: inout Set<UInt32>) throws {
        guard let root = index.root, root > 1 else {
            return indexes.append(Index(object: index, tree: TreeWalk()))
        }
        indexes.append(Index(object: index, tree: try TreeWalk(root: root, isTable: false, source, claimed: &claimed)))
    }

    private func isTableRoot(_ root: UInt32) throws -> Bool {
        try source.page(root).flatMap { BTreePage($0) }?.kind.isTable ?? true
    }

    // MARK: Pages that nothing leads to

    /// Decides on leaves that are readable only in an older version, which can be another table's.
    mutating func sortOutdated() throws {
        for index in tables.indices {
            for (number, range) in tables[index].tree.outdatedLeaves {
                let orphan = try orphan(number)
                if let orphan, let shape = tables[index].shape, orphan.fits(shape),
                    orphan.isTypical(of: shape),
                    orphan.fits(range), !schema.isIncomplete || schema.isSupplied
                {
                    tables[index].outdated.append(number)
                } else {
                    if var orphan, orphan.isTable, schema.isIncomplete {
                        orphan.forgetRows()
                        lost.append(orphan)
                    }
                    tables[index].tree.unreadable.append(number)
                    tables[index].tree.gaps.append(TreeWalk.Gap(range: range, mayHavePages: false))
                }
            }
        }
    }

    /// Finds the tables of the pages that belong to no tree. They can be attributed by their content only while every
    /// table is known that they can belong to.
    /// - Parameter isFreeListKnown: Whether none of the pages can be free.
    mutating func sort(
        _ numbers: [UInt32], isFreeListKnown: Bool, claimed: inout Set<UInt32>
    ) throws {
        let candidates = tables.indices.compactMap { index -> OrphanPage.Candidate? in
            guard let shape = tables[index].shape, tables[index].mayHaveOrphans else { return nil }
            return OrphanPage.Candidate(index: index, shape: shape, gaps: tables[index].tree.gaps)
        }
        let isSure = !schema.isIncomplete && isFreeListKnown
        let knowsTables = (isSure || schema.isSupplied) && !tables.contains { $0.shape == nil && $0.mayHaveOrphans }
        let knowsIndexes = isSure && !hasTornIndexes
        for number in numbers where !claimed.contains(number) {
            guard var orphan = try orphan(number) else { continue }
            // Pages of indexes look like those of tables WITHOUT ROWID.
            let owner =
                knowsTables && (orphan.isTable || knowsIndexes)
                ? orphan.owner(among: candidates, isDoubtful: !isSure || orphan.isOutdated) : nil
            let isWanted =
                owner != nil || orphan.isTable || schema.isIncomplete
                || candidates.contains { !$0.shape.hasRowIDs && orphan.fits($0.shape) }
            guard isWanted else { continue }
            claimed.insert(number)
            orphan.forgetRows()
            if let owner { tables[owner].orphans.append(orphan) } else { lost.append(orphan) }
        }
        for index in tables.indices {
            // Rows are inserted fastest in key order.
            tables[index].orphans.sort { ($0.firstRowID ?? 0) < ($1.firstRowID ?? 0) }
            guard tables[index].shape == nil, !tables[index].object.isInternal else { continue }
            // The table could not be created, but its rows are there.
            for number in tables[index].tree.rowPages {
                guard var orphan = try orphan(number) else { continue }
                orphan.forgetRows()
                lost.append(orphan)
            }
        }
    }

    /// Whether pages that nothing leads to can belong to an index.
    var hasTornIndexes: Bool {
        indexes.contains { $0.hasBrokenEntries || $0.tree.gaps.contains(where: \.mayHavePages) }
    }

    private func orphan(_ number: UInt32) throws -> OrphanPage? {
        try source.page(number).flatMap { BTreePage($0) }.flatMap { OrphanPage($0) }
    }

    // MARK: SQLite's own pages

    /// Whether a page is a pointer map ("Database File Format", section 1.8), which only auto-vacuum files
    /// have: page 2 and every 804th page after it, with 5 bytes for each page between.
    func isPointerMap(_ number: UInt32) -> Bool {
        guard let first = schema.firstPage, first.word(at: 52) != 0, number >= 2 else {
            return false
        }
        let entries = UInt32(source.usableSize / 5)
        // If a pointer map would be on the lock-byte page, it is on the next page.
        return (number - 2).isMultiple(of: entries + 1)
            || (number == source.lockPage + 1
                && (source.lockPage - 2).isMultiple(of: entries + 1))
    }
}
