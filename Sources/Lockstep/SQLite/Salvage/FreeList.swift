// The freelist ("Database File Format", section 1.5). The header on page 1 has the first trunk page at 32
// and the number of free pages at 36. A trunk page:
//
//   0  the next trunk page, or 0 (4)    4  number of leaves (4)    8  their page numbers, 4 bytes each
//
// The list counts as read if every trunk verifies, no page appears twice, and the number of pages matches
// the header.

/// The free pages. Their old content must not come back as rows.
struct FreeList {
    private(set) var pages: Set<UInt32> = []
    private(set) var isComplete = false

    /// - Parameter first: Page 1; nil if it cannot be read.
    init(_ first: DecryptedPage?, _ source: PageSource) throws {
        guard let first, !first.isOutdated else { return }
        var trunk = first.word(at: 32)
        while trunk != 0 {
            guard pages.insert(trunk).inserted, let page = try source.page(trunk), !page.isOutdated else { return }
            let count = Int(page.word(at: 4))
            // Beyond the page's end every number reads as 0, and the second of them ends it.
            for index in 0..<count {
                guard pages.insert(page.word(at: 8 + 4 * index)).inserted else { return }
            }
            trunk = page.word(at: 0)
        }
        isComplete = pages.count == Int(first.word(at: 36))
    }

    /// For a page 1 that does not verify: uses its freelist only if all of it is consistent.
    static func believingOnlyWhatFits(
        _ first: DecryptedPage?, _ source: PageSource
    ) throws -> FreeList {
        let list = try FreeList(first, source)
        return list.isComplete ? list : FreeList()
    }

    init() {}
}
