/// A plaintext SQLite database of one page without tables, following "Database File Format": the process that runs the
/// tests cannot make one, because it must not contain plain SQLite.
enum PlaintextDatabase {
    static let bytes: [UInt8] = {
        var page = [UInt8](repeating: 0, count: 4096)
        func put(_ bytes: [UInt8], at offset: Int) {
            page.replaceSubrange(offset..<(offset + bytes.count), with: bytes)
        }
        put(Array("SQLite format 3\0".utf8), at: 0)
        // Page size 4096, rollback journal, no reserved bytes, the fixed payload fractions.
        put([0x10, 0x00, 1, 1, 0, 64, 32, 32], at: 16)
        // Change counter 1, one page; schema format 4, UTF-8; version valid for change counter 1.
        put([0, 0, 0, 1, 0, 0, 0, 1], at: 24)
        put([0, 0, 0, 4], at: 44)
        put([0, 0, 0, 1], at: 56)
        put([0, 0, 0, 1], at: 92)
        // An empty leaf of a table whose content area would begin at the page's end.
        put([0x0D, 0, 0, 0, 0, 0x10, 0x00, 0], at: 100)
        return page
    }()
}
