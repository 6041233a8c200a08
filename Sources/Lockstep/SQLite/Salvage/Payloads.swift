/// Payloads of rows, joined from their page and its overflow pages. An overflow page has 4 bytes, the number of
/// the next overflow page or 0, then content to the end of the usable part.
enum Payloads {
    enum Outcome {
        case whole([UInt8])
        /// The chain of overflow pages breaks off at a page that cannot be read or is another row's.
        case broken(at: UInt32)
    }

    /// The whole payload of a cell, or the page at which its chain of overflow pages breaks off.
    ///
    /// Each page is claimed, so that no chain can loop or run through another row's pages, and memory is never
    /// allocated from the length alone that a cell claims. An older version of an overflow page counts as
    /// broken: it can hold a part of another row.
    static func payload(
        of cell: BTreePage.Cell, on page: DecryptedPage, _ source: PageSource, claimed: inout Set<UInt32>
    ) throws -> Outcome {
        try payload(of: cell, on: page, source) { claimed.insert($0).inserted }
    }

    /// The same with a decision on each page of the chain.
    static func payload(
        of cell: BTreePage.Cell, on page: DecryptedPage, _ source: PageSource,
        taking: (UInt32) -> Bool
    ) throws -> Outcome {
        var payload = Array(page.bytes[cell.local])
        var next = cell.overflow ?? 0
        while payload.count < cell.payloadLength {
            guard next != 0, taking(next),
                let overflow = try source.page(next), !overflow.isOutdated
            else { return .broken(at: next) }
            let count = min(cell.payloadLength - payload.count, overflow.bytes.count - 4)
            payload += overflow.bytes[4..<(4 + count)]
            next = overflow.word(at: 0)
        }
        return .whole(payload)
    }
}
