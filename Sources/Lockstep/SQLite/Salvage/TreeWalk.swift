/// The rowids that an unreadable part of a table covered, as far as its surroundings show.
struct RowIDRange: Equatable {
    /// Every rowid is greater.
    var after: Int64?
    /// No rowid is greater.
    var upTo: Int64?

    func contains(_ rowID: Int64) -> Bool {
        after.map { rowID > $0 } != false && upTo.map { rowID <= $0 } != false
    }
}

/// The pages of one b-tree that can be reached from its root.
///
/// The first tree that comes to a page claims it, so that a loop or a page of two trees ends the walk there and
/// not the program.
struct TreeWalk {
    /// A part of the tree that cannot be reached.
    struct Gap: Equatable {
        let range: RowIDRange
        /// Whether other pages can hang below it; false if its siblings are leaves.
        var mayHavePages = true
    }

    /// Pages with rows, in key order: the leaves and, in an index tree, the interior pages too.
    var rowPages: [UInt32] = []
    /// Leaves that are readable only in an older version, which can be another table's.
    var outdatedLeaves: [(page: UInt32, range: RowIDRange)] = []
    /// Pages of this tree that cannot be read.
    var unreadable: [UInt32] = []
    /// The gaps that unreadable pages and invalid child pointers leave.
    var gaps: [Gap] = []
    var malformedCells = 0
    /// Leaves of a table whose rowids do not ascend, or do not fit the pages above.
    private(set) var disordered: [UInt32] = []

    private struct Step {
        let page: UInt32
        let range: RowIDRange
        let parent: UInt32
    }

    private var parentsOfLeaves: Set<UInt32> = []
    private var parentsOfGaps: [UInt32] = []

    /// Walks the tree below `root`, which holds rows of a table or an index.
    init(
        root: UInt32, isTable: Bool, _ source: PageSource, claimed: inout Set<UInt32>
    ) throws {
        var steps: [Step] = []
        if claimed.insert(root).inserted {
            steps.append(Step(page: root, range: RowIDRange(), parent: 0))
        } else {
            addGap(RowIDRange(), parent: 0)
        }
        while let step = steps.popLast() {
            try visit(step, isTable, source, &claimed, &steps)
        }
        for (index, parent) in parentsOfGaps.enumerated() where parentsOfLeaves.contains(parent) {
            gaps[index].mayHavePages = false
        }
    }

    /// A tree whose root is unknown.
    init() { addGap(RowIDRange(), parent: 0) }

    private mutating func addGap(_ range: RowIDRange, parent: UInt32) {
        gaps.append(Gap(range: range))
        parentsOfGaps.append(parent)
    }

    private mutating func visit(
        _ step: Step, _ isTable: Bool, _ source: PageSource, _ claimed: inout Set<UInt32>, _ steps: inout [Step]
    ) throws {
        let page = try source.page(step.page)
        guard let page, let tree = BTreePage(page), tree.kind.isTable == isTable else {
            unreadable.append(step.page)
            addGap(step.range, parent: step.parent)
            return
        }
        if page.isOutdated {
            // An older interior page can lead to pages that now belong to another table.
            if tree.kind == .leafTable {
                outdatedLeaves.append((step.page, step.range))
                parentsOfLeaves.insert(step.parent)
            } else {
                unreadable.append(step.page)
                addGap(step.range, parent: step.parent)
            }
            return
        }
        if tree.kind.isLeaf { parentsOfLeaves.insert(step.parent) }
        if tree.kind != .interiorTable { rowPages.append(step.page) }
        if tree.kind == .leafTable, !Self.isOrdered(tree, in: step.range) {
            disordered.append(step.page)
        }
        guard !tree.kind.isLeaf else { return }
        if tree.kind == .interiorTable { malformedCells += tree.malformedCells }
        var children: [Step] = []
        for (child, range) in Self.children(of: tree, in: step.range) {
            if let child, claimed.insert(child).inserted {
                children.append(Step(page: child, range: range, parent: step.page))
            } else {
                addGap(range, parent: step.page)
            }
        }
        steps += children.reversed()
    }

    private static func isOrdered(_ leaf: BTreePage, in range: RowIDRange) -> Bool {
        var range = range
        for case .some(let rowID) in leaf.cells.map({ $0?.rowID }) {
            guard range.contains(rowID) else { return false }
            range.after = rowID
        }
        return true
    }

    /// The children in key order, each with the rowids that it can hold; nil for a malformed cell.
    private static func children(
        of tree: BTreePage, in range: RowIDRange
    ) -> [(page: UInt32?, range: RowIDRange)] {
        var children: [(page: UInt32?, range: RowIDRange)] = []
        var after = range.after
        for cell in tree.cells {
            children.append((cell?.leftChild, RowIDRange(after: after, upTo: cell?.rowID)))
            after = cell?.rowID ?? after
        }
        children.append((tree.rightChild, RowIDRange(after: after, upTo: range.upTo)))
        return children
    }
}
