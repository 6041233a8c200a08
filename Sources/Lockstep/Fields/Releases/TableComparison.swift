/// The comparison of one table with its entry in a manifest, in the open snapshot.
struct TableComparison {
    let released: Manifest.Table
    /// The database's definitions; nil for version 1, which does not cover them.
    let definitions: [ManifestDefinition]?

    typealias Finding = ManifestReport.Finding

    /// - Returns: The differences, and the compared parts if the rows could be compared.
    func run(
        _ connection: borrowing Connection, _ progress: JobProgress.Handler
    ) throws -> (findings: [Finding], compared: ManifestReport.Comparison.Table?) {
        let indexFindings = indexFindings()
        guard let shape = try SealedTable(released.name, connection) else {
            return ([.tableMissing(released.name)], nil)
        }
        guard try hasColumns(shape, connection) else {
            return ([.tableOther(released.name)] + indexFindings, nil)
        }
        let others = definitions == nil ? nil : released.otherNames
        let found = try ManifestRows(
            shape, columns: released.columns.map(\.name), others: others,
            of: Int(clamping: released.rowCount), connection, progress: progress)
        let compared = ManifestReport.Comparison.Table(
            name: released.name, rowCount: found.count, columns: released.key + released.columnNames + (others ?? []),
            indexes: released.indexNames)
        return ((rowFinding(found).map { [$0] } ?? []) + indexFindings, compared)
    }

    /// Whether key and columns are those of the release: for version 1 at least these, for version 2 exactly these.
    private func hasColumns(
        _ shape: SealedTable, _ connection: borrowing Connection
    ) throws -> Bool {
        let key = released.key.map { SQLName($0) }
        guard shape.key.columns.map({ SQLName($0.name) }) == key else { return false }
        guard definitions != nil else {
            return released.columnNames.allSatisfy { shape.column($0) != nil }
        }
        let others = (released.columnNames + released.otherNames).map { SQLName($0) }
        return try Set(shape.storedColumns(connection)) == Set(key + others)
    }

    private func rowFinding(_ found: ManifestRows) -> Finding? {
        let rows = released.rows
        if found.count < rows.count {
            return .rowsMissing(table: released.name, rows.count - found.count)
        }
        if found.count > rows.count {
            return .rowsAdded(table: released.name, found.count - rows.count)
        }
        if found.digest != rows.digest { return .rowsChanged(table: released.name) }
        return found.wholeDigest == rows.wholeDigest ? nil : .plainChanged(table: released.name)
    }

    /// Each index that is missing, added, or defined differently.
    private func indexFindings() -> [Finding] {
        guard let definitions else { return [] }
        let found = definitions.filter { $0.isIndex(of: released.name) }
        var findings: [Finding] = []
        for index in released.indexes {
            guard let same = found.first(where: { ExactText($0.name) == ExactText(index.name) }) else {
                findings.append(.indexMissing(table: released.name, index: index.name))
                continue
            }
            if same.digest != index.digest {
                findings.append(.indexChanged(table: released.name, index: index.name))
            }
        }
        let known = Set(released.indexes.map { ExactText($0.name) })
        let added = found.filter { !known.contains(ExactText($0.name)) }
        return findings
            + added.map { .indexAdded(table: released.name, index: $0.name) }
    }
}
