@testable import Lockstep

/// A page of a b-tree with a correct MAC, and its records; or a record alone, if the first byte is odd.
final class PageTarget: FuzzTarget {
    static let name = "page"
    static let refusals: Set<LockstepError.Code> = []

    static func seeds() -> [String: [UInt8]] {
        let record: [UInt8] =
            [5, 1, 0x19, 0x12, 7, 42, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 1, 2, 3] + [0x40, 9, 0x21, 0xFB]
        let schema: [UInt8] =
            [6, 0x17, 0x0F, 0x0F, 1, 0x35] + Array("tablett".utf8) + [2] + Array("CREATE TABLE t (a)".utf8)
        let cell = [UInt8(schema.count), 1] + schema
        return [
            "record": [1] + record, "schema": [1] + schema,
            "leaf": page(13, [cell, cell]), "index": page(10, [[3, 2, 1, 7], [3, 2, 1, 9]]),
            "interior": page(5, [[0, 0, 0, 3, 0x81, 0x00], [0, 0, 0, 4, 0x90, 0x90, 0x00]]),
            "index-interior": page(2, [[0, 0, 0, 3, 3, 2, 1, 7]]),
            "overflow": page(13, [[0xFF, 0x7F, 1] + [UInt8](repeating: 7, count: 600)]),
        ]
    }

    /// The first byte is the page's number, 2. Cells lie after the array of their positions.
    private static func page(_ kind: UInt8, _ cells: [[UInt8]]) -> [UInt8] {
        let isLeaf = kind == 10 || kind == 13
        var page: [UInt8] = [kind, 0, 0, 0, UInt8(cells.count), 0, 0, 0] + (isLeaf ? [] : [0, 0, 0, 9])
        var place = page.count + 2 * cells.count
        for cell in cells {
            page += [UInt8(place >> 8), UInt8(place & 0xFF)]
            place += cell.count
        }
        return [2] + page + cells.joined()
    }

    func run(_ input: [UInt8]) {
        var input = FuzzInput(input)
        let choice = input.byte()
        let bytes = input.remainder()
        guard choice.isMultiple(of: 2) else { return read(bytes) }
        let size = DecryptedPage.usableSize
        let content = Array((bytes + [UInt8](repeating: 0, count: size)).prefix(size))
        let page = DecryptedPage(choice == 0 ? 1 : UInt32(choice), content, isOutdated: false)
        guard let tree = BTreePage(page) else { return }
        for cell in tree.cells.compactMap(\.self) {
            require(cell.local.upperBound <= size, "a cell leaves its page")
            read(Array(content[cell.local]))
        }
        _ = OrphanPage(tree)
    }

    private func read(_ payload: [UInt8]) {
        let types = Record.types(payload)
        guard let values = Record.values(payload) else { return }
        require(types?.types.count == values.count, "a record has two numbers of fields")
        for encoding: TextEncoding in [.utf8, .utf16LittleEndian, .utf16BigEndian] {
            _ = SchemaObject(values, encoding)
            for case .text(let bytes) in values { _ = encoding.text(bytes) }
        }
    }
}
