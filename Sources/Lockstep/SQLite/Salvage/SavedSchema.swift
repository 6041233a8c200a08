/// The readable part of a damaged database's schema: the b-tree whose root is page 1.
///
/// A page 1 that does not verify is decrypted all the same: a few changed bytes garble only a block or two.
/// From such a page only records that parse strictly are taken.
struct SavedSchema {
    private(set) var objects: [SchemaObject] = []
    private(set) var encoding = TextEncoding.utf8
    /// Page 1, which also has the database header; nil if the file has none.
    private(set) var firstPage: DecryptedPage?
    /// Whether page 1 does not verify.
    private(set) var isUnverified = false
    /// Whether objects can be missing.
    private(set) var isIncomplete = false
    /// Whether the caller has supplied what is missing.
    private(set) var isSupplied = false
    /// Whether the roots can be those of an older schema, or garbled.
    private(set) var isDoubtful = false
    /// The names of objects on leaves that nothing leads to.
    private var found: Set<SQLName> = []
    /// The reachable part of the tree, which records its damage.
    private(set) var tree = TreeWalk()

    private let source: PageSource

    init(_ source: PageSource, claimed: inout Set<UInt32>) throws {
        self.source = source
        if let page = try source.page(1) {
            firstPage = page
            isUnverified = false
        } else {
            firstPage = try source.unverifiedFirstPage()
            isUnverified = true
            isDoubtful = true
        }
        encoding = firstPage.flatMap { TextEncoding(rawValue: $0.word(at: 56)) } ?? .utf8
        if isUnverified {
            try readUnverified(&claimed)
        } else {
            tree = try TreeWalk(root: 1, isTable: true, source, claimed: &claimed)
            isDoubtful = !tree.outdatedLeaves.isEmpty
            isIncomplete = !tree.gaps.isEmpty || isDoubtful
            let old = tree.outdatedLeaves.map(\.page)
            for number in tree.rowPages + old { try readLeaf(number, &claimed) }
        }
    }

    /// The header's `user_version`; nil if it can be garbled. It counts as intact if the schema format (44) and
    /// the encoding (56) make sense, which are in its own block and the one before.
    var userVersion: Int32? {
        guard let firstPage else { return nil }
        let makesSense =
            (1...4).contains(firstPage.word(at: 44)) && TextEncoding(rawValue: firstPage.word(at: 56)) != nil
        guard makesSense || !isUnverified else { return nil }
        return Int32(bitPattern: firstPage.word(at: 60))
    }

    /// Adds objects that the caller knows, if the file has none of the same name.
    mutating func add(_ statements: [String]) throws {
        isSupplied = !statements.isEmpty
        for sql in statements { add(try SchemaObject(statement: sql)) }
    }

    /// A root that two objects claim is neither's: one of the two definitions is an old one.
    mutating func forgetSharedRoots() {
        let roots = Dictionary(grouping: objects.indices) { objects[$0].root ?? 0 }
        for (root, indices) in roots where root > 0 && indices.count > 1 {
            for index in indices { objects[index].forgetRoot() }
        }
    }

    /// Looks for leaves of the schema among pages that belong to no tree, if the schema's tree is torn.
    /// - Parameter areCurrent: Whether none of them can be a left-over of an older schema. If not, only the definitions
    ///   count, and not the roots: other tables can have these by now.
    mutating func search(
        _ leaves: [UInt32], areCurrent: Bool, besides free: Set<UInt32>,
        claimed: inout Set<UInt32>
    ) throws {
        for number in leaves where !claimed.contains(number) && !free.contains(number) {
            guard let page = try source.page(number), let leaf = BTreePage(page),
                leaf.kind == .leafTable, !leaf.cells.isEmpty, leaf.malformedCells == 0
            else { continue }
            // Only cells that fit on the page are examined, so that nothing is claimed.
            let isSchema = leaf.cells.compactMap(\.self).allSatisfy { cell in
                cell.overflow != nil || object(in: Array(page.bytes[cell.local])) != nil
            }
            guard isSchema, leaf.cells.contains(where: { $0?.overflow == nil }) else { continue }
            claimed.insert(number)
            let known = objects.count
            try readLeaf(number, &claimed)
            found.formUnion(objects[known...].map { SQLName($0.name) })
            if !areCurrent {
                for index in known..<objects.count { objects[index].forgetRoot() }
            }
        }
    }

    private func object(in payload: [UInt8]) -> SchemaObject? {
        StoredRecord.values(payload).flatMap { SchemaObject($0, encoding) }
    }

    private func object(
        of cell: BTreePage.Cell, on page: DecryptedPage, _ claimed: inout Set<UInt32>
    ) throws -> SchemaObject? {
        guard
            case .whole(let payload) = try Payloads.payload(
                of: cell, on: page, source, claimed: &claimed)
        else { return nil }
        return object(in: payload)
    }

    private mutating func add(_ object: SchemaObject) {
        let name = SQLName(object.name)
        guard let index = objects.firstIndex(where: { SQLName($0.name) == name }) else {
            return objects.append(object)
        }
        // Of two versions on leaves that nothing leads to, either can be the old one.
        if found.contains(name), objects[index].root != object.root {
            objects[index].forgetRoot()
        }
    }

    private mutating func readLeaf(_ number: UInt32, _ claimed: inout Set<UInt32>) throws {
        guard let page = try source.page(number), let leaf = BTreePage(page) else { return }
        try read(leaf, &claimed)
    }

    private mutating func read(_ leaf: BTreePage, _ claimed: inout Set<UInt32>) throws {
        for cell in leaf.cells {
            guard let cell, let object = try object(of: cell, on: leaf.page, &claimed) else {
                isIncomplete = true
                continue
            }
            add(object)
        }
    }

    private mutating func readUnverified(_ claimed: inout Set<UInt32>) throws {
        claimed.insert(1)
        tree.unreadable = [1]
        guard let firstPage else {
            isIncomplete = true
            return
        }
        guard let root = BTreePage(firstPage), root.kind.isTable else {
            isIncomplete = true
            try scan(firstPage, &claimed)
            return
        }
        if root.kind == .leafTable {
            try read(root, &claimed)
            // The garbled part can be its array of cells.
            if isIncomplete || objects.isEmpty { try scan(firstPage, &claimed) }
            isIncomplete = isIncomplete || objects.isEmpty
            return
        }
        isIncomplete = root.malformedCells > 0
        for child in root.cells.map({ $0?.leftChild }) + [root.rightChild] {
            guard let child, !claimed.contains(child), let page = try source.page(child),
                BTreePage(page)?.kind == .leafTable, claimed.insert(child).inserted
            else {
                isIncomplete = true
                continue
            }
            try readLeaf(child, &claimed)
        }
    }

    /// Takes everything that parses as a row of the schema, at any offset on the page.
    private mutating func scan(_ page: DecryptedPage, _ claimed: inout Set<UInt32>) throws {
        for offset in 108..<page.bytes.count {
            guard let cell = BTreePage.cell(.leafTable, page, at: offset), cell.payloadLength > 20 else { continue }
            let head = Array(page.bytes[cell.local])
            // A chain is followed only if it begins like a row of the schema.
            guard let (types, _) = StoredRecord.types(head), types.count == 5, types[0].storageClass == .text,
                types[1].storageClass == .text, cell.overflow == nil || types[4].storageClass == .text,
                let object = try object(of: cell, on: page, &claimed)
            else { continue }
            add(object)
        }
    }
}
