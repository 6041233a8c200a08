// A page of a b-tree ("Database File Format", sections 1.6 and 2.1). Offsets count from the start of the page,
// on page 1 from byte 100, where the database header ends; numbers are big-endian:
//
//   0  kind: 2 interior of an index · 5 interior of a table · 10 leaf of an index · 13 leaf of a table
//   3  number of cells (2)      8  interior pages: the right-most child (4)
//   8 or 12  offset of each cell from the start of the page, 2 bytes each, in key order
//
//   cell, table leaf      payload length (varint) · rowid (varint) · payload · overflow page (4), if any
//   cell, table interior  left child (4) · rowid (varint): no key in the child is greater
//   cell, index leaf      payload length (varint) · payload · overflow page (4), if any
//   cell, index interior  left child (4), then as in an index leaf
//
// With U usable bytes per page, a table leaf's cell keeps up to U-35 bytes of its payload, an index's up to
// (U-12)*64/255-23. Of a longer payload P it keeps K = M+(P-M) mod (U-4) bytes if that is no more, else M =
// (U-12)*32/255-23; the rest is in overflow pages.
//
// A page counts if its kind is one of the four and its array of cells fits. A cell counts if it lies entirely
// after that array and inside the page; other cells are counted as malformed and skipped.

/// A verified page, split into cells.
struct BTreePage {
    enum Kind: UInt8 {
        case interiorIndex = 2
        case interiorTable = 5
        case leafIndex = 10
        case leafTable = 13

        var isLeaf: Bool { self == .leafIndex || self == .leafTable }
        var isTable: Bool { self == .interiorTable || self == .leafTable }
    }

    struct Cell {
        var leftChild: UInt32?
        var rowID: Int64?
        /// Length of the whole payload in bytes.
        var payloadLength = 0
        /// The part of the payload that is on this page.
        var local = 0..<0
        var overflow: UInt32?
    }

    let page: DecryptedPage
    let kind: Kind
    /// The cells in key order; nil for each malformed one.
    let cells: [Cell?]
    let rightChild: UInt32?

    var malformedCells: Int { cells.count { $0 == nil } }

    /// Nil for a page that is not part of a b-tree.
    init?(_ page: DecryptedPage) {
        let start = page.number == 1 ? 100 : 0
        let bytes = page.bytes
        guard bytes.count >= start + 12, let kind = Kind(rawValue: bytes[start]) else {
            return nil
        }
        let count = Int(bytes[start + 3]) << 8 | Int(bytes[start + 4])
        let array = start + (kind.isLeaf ? 8 : 12)
        let content = array + 2 * count
        guard content <= bytes.count else { return nil }
        self.page = page
        self.kind = kind
        rightChild = kind.isLeaf ? nil : page.word(at: start + 8)
        cells = (0..<count).map { index in
            let pointer = array + 2 * index
            let offset = Int(bytes[pointer]) << 8 | Int(bytes[pointer + 1])
            return offset < content ? nil : Self.cell(kind, page, at: offset)
        }
    }

    /// The cell of this kind that begins at `offset`, or nil if it does not fit the page.
    static func cell(_ kind: Kind, _ page: DecryptedPage, at offset: Int) -> Cell? {
        let bytes = page.bytes
        var cell = Cell()
        var at = offset
        if !kind.isLeaf {
            guard at + 4 <= bytes.count else { return nil }
            cell.leftChild = page.word(at: at)
            at += 4
        }
        var length: UInt64?
        if kind != .interiorTable {
            guard let varint = Varint(bytes, at: at) else { return nil }
            length = varint.value
            at = varint.end
        }
        if kind.isTable {
            guard let varint = Varint(bytes, at: at) else { return nil }
            cell.rowID = Int64(bitPattern: varint.value)
            at = varint.end
        }
        guard let length else { return cell }
        // SQLite itself accepts no longer row.
        guard length <= UInt64(Int32.max) else { return nil }
        cell.payloadLength = Int(length)
        let local = localLength(cell.payloadLength, isTable: kind.isTable, usable: bytes.count)
        cell.local = at..<(at + local)
        let isSpilled = local < cell.payloadLength
        guard at + local + (isSpilled ? 4 : 0) <= bytes.count else { return nil }
        if isSpilled { cell.overflow = page.word(at: at + local) }
        return cell
    }

    private static func localLength(_ payload: Int, isTable: Bool, usable: Int) -> Int {
        let longest = isTable ? usable - 35 : (usable - 12) * 64 / 255 - 23
        guard payload > longest else { return payload }
        let shortest = (usable - 12) * 32 / 255 - 23
        let fitting = shortest + (payload - shortest) % (usable - 4)
        return fitting <= longest ? fitting : shortest
    }
}

/// SQLite's integers of 1 to 9 bytes: 7 bits each, with the highest bit set if another byte follows. The ninth
/// byte has 8 bits.
struct Varint {
    let value: UInt64
    /// The offset after the integer.
    let end: Int

    /// Nil if it extends beyond `bytes`.
    init?(_ bytes: [UInt8], at start: Int) {
        var value: UInt64 = 0
        var at = start
        while at >= 0, at < bytes.count {
            let byte = bytes[at]
            at += 1
            guard at - start < 9 else {
                self.value = value << 8 | UInt64(byte)
                end = at
                return
            }
            value = value << 7 | UInt64(byte & 0x7F)
            guard byte & 0x80 != 0 else {
                self.value = value
                end = at
                return
            }
        }
        return nil
    }
}
