/// The comparison of one table with its entry in a manifest, in the open snapshot.
struct TableComparison {
    let released: Manifest.Table
    /// Whether the release covers all columns, and not only the key and the sealed ones.
    let isWhole: Bool
    /// The database's definitions; nil if they are not compared.
    let definitions: [ManifestDefinition]?

    typealias Finding = ManifestReport.Finding

    /// - Returns: The differences, and the compared parts if the rows could be compared.
    func run(
        _ database: borrowing some ReleasedDatabase & ~Copyable, _ progress: JobProgress.Handler
    ) throws -> (findings: [Finding], compared: ManifestReport.Comparison.Table?) {
        switch try database.rows(of: released, isWhole: isWhole, progress) {
        case .missing: return ([.tableMissing(released.name)], nil)
        case .other: return ([.tableOther(released.name)] + indexFindings(), nil)
        case .found(let found):
            let compared = ManifestReport.Comparison.Table(
                name: released.name, rowCount: found.count,
                columns: released.key + released.columnNames + (isWhole ? released.otherNames : []),
                indexes: released.indexNames)
            return ((rowFinding(found).map { [$0] } ?? []) + indexFindings(), compared)
        }
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
