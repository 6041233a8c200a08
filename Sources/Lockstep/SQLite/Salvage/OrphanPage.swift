/// A page with rows that no tree leads to, and the tables that it can belong to.
struct OrphanPage {
    let number: UInt32
    /// Whether this is an older version of the page.
    let isOutdated: Bool
    let isTable: Bool
    let firstRowID: Int64?
    private let lastRowID: Int64?
    /// The most fields of any row on the page.
    let widestRow: Int
    /// The types of the rows' fields, as far as the page itself contains them.
    private var rows: [[SerialType]]

    /// A table with unreachable parts.
    struct Candidate {
        let index: Int
        let shape: TableShape
        let gaps: [TreeWalk.Gap]
    }

    /// Nil for a page without rows.
    init?(_ page: BTreePage) {
        guard page.kind != .interiorTable else { return nil }
        let cells = page.cells.compactMap(\.self)
        guard !cells.isEmpty else { return nil }
        number = page.page.number
        isOutdated = page.page.isOutdated
        isTable = page.kind == .leafTable
        let rowIDs = cells.compactMap(\.rowID)
        firstRowID = rowIDs.min()
        lastRowID = rowIDs.max()
        rows = cells.compactMap { StoredRecord.types(Array(page.page.bytes[$0.local]))?.types }
        widestRow = rows.map(\.count).max() ?? 0
    }

    /// Drops the types once the page has its place: there can be very many pages.
    mutating func forgetRows() { rows = [] }

    /// The one table that the page must belong to, or nil if there is none or several are possible: a likely table is
    /// not enough, because nobody would find the rows of another table in it.
    /// - Parameter isDoubtful: Whether the page can belong to none of them. Then its rows must be typical of
    ///   the table.
    func owner(among candidates: [Candidate], isDoubtful: Bool) -> Int? {
        let possible = candidates.filter { candidate in
            candidate.shape.hasRowIDs == isTable && fits(candidate.shape)
                && candidate.gaps.contains { $0.mayHavePages && fits($0.range) }
        }
        guard possible.count == 1, let only = possible.first,
            !isDoubtful || isTypical(of: only.shape)
        else { return nil }
        return only.index
    }

    func fits(_ shape: TableShape) -> Bool {
        !rows.isEmpty && rows.allSatisfy { shape.mayHold($0.map(\.storageClass)) }
    }

    func isTypical(of shape: TableShape) -> Bool { rows.allSatisfy(shape.typicallyHolds) }

    func fits(_ range: RowIDRange) -> Bool {
        guard let firstRowID, let lastRowID else { return true }
        return range.contains(firstRowID) && range.contains(lastRowID)
    }
}
