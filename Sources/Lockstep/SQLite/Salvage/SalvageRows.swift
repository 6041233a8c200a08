/// The part of a salvage that copies rows.
extension SalvageRun {
    /// How a row's page was found.
    private enum Place {
        case tree, orphan, outdated
    }

    /// Copies every table's rows, in one transaction per table. Rows that their trees lead to come first, so
    /// that no row of doubtful origin takes a key or an overflow page from a certain one.
    func copyRows(_ plan: SalvagePlan, _ target: SalvageTarget) throws {
        var entries = plan.tables.map(entry)
        let widths = plan.tables.map { $0.shape?.fields.count ?? 0 } + plan.lost.map(\.widestRow)
        let lost = LostAndFound(target, width: widths.max() ?? 0, encoding)
        for places in [[Place.tree], [.orphan, .outdated]] {
            for (index, table) in plan.tables.enumerated() where !isSequence(table) {
                for place in places {
                    try target.transaction { try copy(table, place, target, lost, &entries[index]) }
                }
            }
        }
        // Last, because inserting rows starts new sequences.
        for (index, table) in plan.tables.enumerated() where isSequence(table) {
            try target.transaction { try copySequences(table, target, &entries[index]) }
        }
        report.tables = zip(plan.tables, entries)
            .filter { (!$0.object.isInternal || !$1.isComplete) && !isBuiltAnew($0) }.map(\.1)
        try target.transaction { try copyLost(plan.lost, lost) }
        report.lostAndFound = lost.report
        report.inconsistencies = inconsistencies(of: plan, entries)
    }

    /// Whether nothing of the table is copied, because it is the index of a full-text table.
    func isBuiltAnew(_ table: SalvagePlan.Table) -> Bool {
        guard table.isShadow,
            let part = DisabledFTS5.owner(of: table.object.name, among: fullText)?.part
        else { return false }
        return DisabledFTS5.derived.contains(part)
    }

    private func isSequence(_ table: SalvagePlan.Table) -> Bool {
        SQLName(table.object.name) == "sqlite_sequence"
    }

    private func entry(_ table: SalvagePlan.Table) -> SalvageReport.Table {
        var entry = SalvageReport.Table(name: table.object.name)
        entry.unreadablePages = table.tree.unreadable.count
        entry.malformedRows = table.tree.malformedCells
        entry.hasGaps = !table.tree.gaps.isEmpty
        placed.formUnion(table.tree.unreadable)
        return entry
    }

    private func copy(
        _ table: SalvagePlan.Table, _ place: Place, _ target: SalvageTarget,
        _ lost: LostAndFound, _ entry: inout SalvageReport.Table
    ) throws {
        guard let shape = table.shape, !isBuiltAnew(table) else { return }
        // What modules and SQLite itself keep there was copied whole, or is built again.
        guard !isAddition || !(table.isShadow || table.object.isInternal) else { return }
        if table.isShadow, let owner = DisabledFTS5.owner(of: shape.name, among: fullText), owner.part == "config" {
            return try copySettings(FullTextIndex(name: owner.name.spelling), table, place, target, &entry)
        }
        // The initial content of a virtual table or of ANALYZE is removed. If the old content has gaps, the
        // initial content stays in them.
        let isFilled = table.isShadow || table.object.isInternal
        if isFilled, place == .tree, table.tree.gaps.isEmpty { try target.empty(shape.name) }
        let pages =
            switch place {
            case .tree: table.tree.rowPages
            case .orphan: table.orphans.map(\.number)
            case .outdated: table.outdated
            }
        for number in pages {
            try forEachRow(on: number, &entry) { values, rowID, page, cell, entry in
                if place == .tree { entry.rowsInTree += 1 }
                // Where its table is not certain, a row that this one cannot hold is another's.
                guard values.count <= shape.fields.count, !values.isEmpty,
                    !isDoubtful
                        || (shape.mayHold(values.map(\.storageClass)) && !table.tree.disordered.contains(number))
                else {
                    entry.malformedRows += 1
                    try lost.add(values, rowID: rowID, from: page.number, cell: cell)
                    return
                }
                let outcome = try target.insert(
                    values, rowID: rowID, into: shape, encoding, replacing: isFilled && place == .tree)
                switch outcome {
                case .inserted:
                    entry.rows += 1
                    if place == .orphan { entry.rowsFoundByContent += 1 }
                    if page.isOutdated { entry.rowsOfOlderVersions += 1 }
                case .duplicate, .refused:
                    if outcome == .duplicate {
                        entry.duplicateRows += 1
                    } else {
                        entry.refusedRows += 1
                    }
                    if try !target.has(values, rowID: rowID, in: shape, encoding) {
                        try lost.add(values, rowID: rowID, of: shape.name, from: page.number, cell: cell)
                    }
                }
                if entry.rows.isMultiple(of: 10_000) {
                    try progress(JobProgress(.copying.of(shape.name), entry.rows, .rows))
                }
            }
        }
    }

    /// FTS5 itself takes each setting, and refuses those that it does not know.
    private func copySettings(
        _ index: FullTextIndex, _ table: SalvagePlan.Table, _ place: Place, _ target: SalvageTarget,
        _ entry: inout SalvageReport.Table
    ) throws {
        guard place == .tree else { return }
        for number in table.tree.rowPages {
            try forEachRow(on: number, &entry) { values, _, _, _, entry in
                entry.rows += 1
                guard values.count == 2, case .text(let name) = values[0],
                    let name = encoding.text(name), FullTextIndex.settings.contains(name)
                else { return }
                if try !target.set(values, by: index.setting, encoding) { entry.refusedRows += 1 }
            }
        }
    }

    /// Calls `body` with the values of each row on a page, and counts the rows that cannot be read.
    private func forEachRow(
        on number: UInt32, _ entry: inout SalvageReport.Table,
        taking: ((UInt32) -> Bool)? = nil,
        _ body: (
            [StoredValue], Int64?, DecryptedPage, _ cell: Int, inout SalvageReport.Table
        ) throws -> Void
    ) throws {
        guard let page = try source.page(number), let tree = BTreePage(page) else { return }
        if tree.kind != .interiorTable { entry.malformedRows += tree.malformedCells }
        for case (let index, .some(let cell)) in tree.cells.enumerated() {
            let payload = try Payloads.payload(of: cell, on: page, source) { number in
                taking?(number) ?? claimed.insert(number).inserted
            }
            switch payload {
            case .broken(let place):
                entry.rowsWithBrokenOverflow += 1
                // Several rows cannot share a page, so count it once.
                if placed.insert(place).inserted, report.damagedPages.contains(place) {
                    entry.unreadablePages += 1
                }
            case .whole(let payload):
                guard let values = StoredRecord.values(payload) else {
                    entry.malformedRows += 1
                    continue
                }
                try body(values, cell.rowID, page, index, &entry)
            }
        }
    }

    private func copySequences(
        _ table: SalvagePlan.Table, _ target: SalvageTarget, _ entry: inout SalvageReport.Table
    ) throws {
        guard table.shape != nil else { return }
        for number in table.tree.rowPages + table.orphans.map(\.number) + table.outdated {
            try forEachRow(on: number, &entry) { values, _, _, _, entry in
                guard values.count == 2, case .text(let name) = values[0],
                    let name = encoding.text(name), case .integer(let number) = values[1]
                else { return }
                entry.rows += 1
                try target.raiseSequence(of: name, to: number)
            }
        }
    }

    private func copyLost(_ pages: [OrphanPage], _ lost: LostAndFound) throws {
        var entry = SalvageReport.Table(name: "")
        // A row that was deleted long ago must not take the pages of one that is there: each can have all that no table
        // has.
        let taken = claimed
        for page in pages {
            var chain: Set<UInt32> = []
            try forEachRow(
                on: page.number, &entry,
                taking: { number in
                    self.claimed.insert(number)
                    return !taken.contains(number) && chain.insert(number).inserted
                }
            ) { values, rowID, page, cell, _ in
                try lost.add(values, rowID: rowID, from: page.number, cell: cell)
            }
        }
    }

    // MARK: Agreement

    /// What contradicts itself in pages that all verify.
    private func inconsistencies(
        of plan: SalvagePlan, _ entries: [SalvageReport.Table]
    ) -> [String] {
        var found = plan.tables.filter { !$0.tree.disordered.isEmpty }.map {
            "\($0.object.name): rows are out of order on \($0.tree.disordered.pageList)"
        }
        for index in plan.indexes where index.tree.gaps.isEmpty && !index.hasBrokenEntries {
            guard let name = index.object.table,
                let at = plan.tables.firstIndex(where: {
                    SQLName($0.object.name) == SQLName(name)
                }), !isBuiltAnew(plan.tables[at]), plan.tables[at].shape != nil,
                entries[at].isComplete
            else { continue }
            let rows = entries[at].rowsInTree
            let isPartial = SQLTokens.hasWord("where", in: index.object.sql ?? "")
            guard isPartial ? index.entries > rows : index.entries != rows else { continue }
            found.append(
                "\(name) has \(counted(rows, "row")), but its index \(index.object.name) leads to "
                    + "\(index.entries)"
            )
        }
        return found
    }
}
