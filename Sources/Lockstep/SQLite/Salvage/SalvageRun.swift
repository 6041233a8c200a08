/// One salvage, from the examination of the damaged file to the finished new one.
final class SalvageRun {
    let source: PageSource
    let progress: JobProgress.Handler
    var report = SalvageReport()
    /// Pages whose place in the file is known.
    var claimed: Set<UInt32> = []
    /// Damaged pages whose place is known.
    var placed: Set<UInt32> = []
    /// The FTS5 tables in the new database. Their indexes are built from their content.
    var fullText: Set<SQLName> = []
    private(set) var encoding = TextEncoding.utf8
    /// Whether the roots of tables can be wrong, or pages differ from those that were written.
    private(set) var isDoubtful = false
    /// Whether it adds the rows of a copy that was set aside to what was salvaged from the database itself.
    let isAddition: Bool

    /// Pages that can be leaves of tables, and those that can have rows of WITHOUT ROWID tables.
    private var tableLeaves: [UInt32] = []
    private var indexPages: [UInt32] = []
    private var numbers: [UInt32] = []
    private var free = FreeList()

    init(
        _ source: PageSource, isAddition: Bool = false, _ progress: @escaping JobProgress.Handler
    ) {
        self.isAddition = isAddition
        self.source = source
        self.progress = progress
    }

    // MARK: Examining

    /// Whether any page of a file verifies.
    static func hasPages(_ source: PageSource) throws -> Bool {
        try source.numbers(upTo: nil).contains { try source.page($0) != nil }
    }

    /// Examines every page once. Returns false if none of them verifies.
    func examine() throws -> Bool {
        var limit: UInt32?
        if let first = try source.page(1), !first.isOutdated,
            // If they differ, the last program that wrote the file did not maintain its size.
            first.word(at: 24) == first.word(at: 92), first.word(at: 28) > 0
        {
            limit = first.word(at: 28)
        }
        numbers = source.numbers(upTo: limit)
        report.pages = numbers.count
        report.missingPages = max(Int(limit ?? 0) - Int(numbers.last ?? 0), 0)
        report.strayBytes = source.strayBytes
        report.unreadableFrames = source.unreadableFrames
        report.isLogUnreadable = source.logIsUnreadable
        for (index, number) in numbers.enumerated() {
            if index.isMultiple(of: 1000) {
                try progress(JobProgress(.examining, index, of: numbers.count, .pages))
            }
            try examine(number)
        }
        return report.damagedPages.count < numbers.count
    }

    private func examine(_ number: UInt32) throws {
        guard let page = try source.page(number) else {
            report.damagedPages.append(number)
            return
        }
        if page.isOutdated { report.outdatedPages.append(number) }
        guard number > 1, let first = page.bytes.first,
            let kind = BTreePage.Kind(rawValue: first)
        else { return }
        if kind == .leafTable { tableLeaves.append(number) }
        if !kind.isTable { indexPages.append(number) }
    }

    /// Reads the schema, as far as it can be read. `known` supplies the objects that the file has lost.
    func readSchema(known: [String]) throws -> SavedSchema {
        var schema = try SavedSchema(source, claimed: &claimed)
        let first = schema.firstPage
        free = schema.isUnverified ? try FreeList.believingOnlyWhatFits(first, source) : try FreeList(first, source)
        report.isFreeListUnreadable = !free.isComplete
        if schema.isIncomplete {
            // Where page 1 alone is damaged, every leaf of the schema is among the found ones, and an old one differs.
            try schema.search(
                tableLeaves, areCurrent: free.isComplete || report.damagedPages == [1],
                besides: free.pages, claimed: &claimed)
        }
        schema.forgetSharedRoots()
        placed.formUnion(schema.tree.unreadable)
        encoding = schema.encoding
        isDoubtful = schema.isDoubtful || !source.isAuthenticated
        report.isSchemaUnverified = schema.isUnverified && !schema.objects.isEmpty
        report.isSchemaIncomplete = schema.isIncomplete
        try schema.add(known)
        return schema
    }

    // MARK: Sorting

    /// Finds the pages of every table that is created in `target`.
    func plan(_ schema: SavedSchema, _ target: SalvageTarget) throws -> SalvagePlan {
        var plan = SalvagePlan(source, schema)
        try makeTables(schema, target) { object, shape, isShadow in
            try plan.walk(object, shape: shape, isShadow: isShadow, claimed: &claimed)
        }
        for index in schema.objects where index.kind == .index {
            try plan.walk(index: index, claimed: &claimed)
        }
        // A page that a tree leads to is in use, whatever the freelist says.
        claimed.formUnion(free.pages)
        placed.formUnion(free.pages)
        try plan.sortOutdated()
        for number in numbers where plan.isPointerMap(number) { claimed.insert(number) }
        for index in plan.indexes.indices {
            let tree = plan.indexes[index].tree
            (plan.indexes[index].entries, plan.indexes[index].hasBrokenEntries) =
                try claimEntries(of: tree)
        }
        try plan.sort(
            tableLeaves + indexPages, isFreeListKnown: free.isComplete, claimed: &claimed)
        for table in plan.tables where isBuiltAnew(table) || (table.object.isInternal && table.shape == nil) {
            _ = try claimEntries(of: table.tree)
        }
        return plan
    }

    /// What is rebuilt is not read, but the pages of its long entries must be known.
    private func claimEntries(of tree: TreeWalk) throws -> (count: Int, areBroken: Bool) {
        placed.formUnion(tree.unreadable)
        var (count, areBroken) = (0, false)
        for number in tree.rowPages {
            guard let page = try source.page(number), let tree = BTreePage(page) else {
                continue
            }
            count += tree.cells.count
            for case .some(let cell) in tree.cells where cell.overflow != nil {
                let outcome = try Payloads.payload(
                    of: cell, on: page, source, claimed: &claimed)
                if case .broken(let place) = outcome {
                    placed.insert(place)
                    areBroken = true
                }
            }
        }
        return (count, areBroken)
    }

    /// Reports the remaining pages once every other page has its place.
    func reportRemainder(_ plan: SalvagePlan) {
        report.unattributedPages = numbers.filter { !claimed.contains($0) }
        let damaged = Set(report.damagedPages)
        report.unattributedPages.removeAll(where: damaged.contains)
        var unplaced = report.damagedPages.filter { !placed.contains($0) }
        // A page in use hangs below a tree, and below a torn one if nothing leads to it. Indexes are rebuilt
        // completely, and rows with damaged overflow pages have been counted.
        let torn = plan.tables.filter(\.mayHaveOrphans)
        let tornIndexes = plan.indexes.filter { $0.tree.gaps.contains(where: \.mayHavePages) }
        if !report.isSchemaIncomplete, torn.isEmpty || torn.count + tornIndexes.count == 1 {
            if let name = torn.first?.object.name,
                let index = report.tables.firstIndex(where: { $0.name.hasSameBytes(as: name) })
            {
                report.tables[index].unreadablePages += unplaced.count
            }
            unplaced = []
        }
        report.unplacedDamagedPages = unplaced
        // In a sound file every page is a part of a tree or free.
        let isWhole = torn.isEmpty && !plan.hasTornIndexes && !report.isSchemaIncomplete && free.isComplete
        if isWhole, report.tables.allSatisfy(\.isComplete), !report.unattributedPages.isEmpty {
            report.inconsistencies.append("nothing leads to the pages \(report.unattributedPages.pageList)")
        }
    }
}
