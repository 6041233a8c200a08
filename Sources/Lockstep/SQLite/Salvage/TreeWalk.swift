/// The rowids that an unreadable part of a table covered, as far as its surroundings tell.
struct RowIDRange: Equatable {
    /// All of them are greater.
    var after: Int64?
    /// None of them is greater.
    var upTo: Int64?

    func contains(_ rowID: Int64) -> Bool {
        after.map { rowID > $0 } != false && upTo.map { rowID <= $0 } != false
    }
}

/// What is left of one b-tree: the pages that can be reached from its root.
///
/// Every page is claimed once, by whichever tree comes to it first, so that loops and pages that belong to
/// two trees end the walk there instead of the program.
struct TreeWalk {
    /// A part of the tree that cannot be reached.
    struct Gap: Equatable {
        let range: RowIDRange
        /// Whether other pages may have hung below it; not if its siblings are leaves.
        var mayHavePages = true
    }

    /// Pages with rows, in key order: the leaves, of an index tree the interior pages as well.
    var rowPages: [UInt32] = []
    /// Leaves of which only an older version can be read; it may be another table's.
    var outdatedLeaves: [(page: UInt32, range: RowIDRange)] = []
    /// Pages of this tree that cannot be read.
    var unreadable: [UInt32] = []
    /// What the unreadable pages, and child pointers that lead nowhere, leave open.
    var gaps: [Gap] = []
    var malformedCells = 0

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

    /// A tree of which not even the root is known.
    init() { addGap(RowIDRange(), parent: 0) }

    private mutating func addGap(_ range: RowIDRange, parent: UInt32) {
        gaps.append(Gap(range: range))
        parentsOfGaps.append(parent)
    }

    private mutating func visit(
        _ step: Step, _ isTable: Bool, _ source: PageSource, _ claimed: inout Set<UInt32>,
        _ steps: inout [Step]
    ) throws {
        let page = try source.page(step.page)
        guard let page, let tree = BTreePage(page), tree.kind.isTable == isTable else {
            unreadable.append(step.page)
            addGap(step.range, parent: step.parent)
            return
        }
        if page.isOutdated {
            // An older interior page may lead to pages that have become another table's.
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

    /// The children in key order, each with the rowids that it may hold; nil where a cell is malformed.
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
