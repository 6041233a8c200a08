internal import CPostgreSQL
internal import Lockstep

/// The rows of a result in memory of this process, as they came one by one: libpq itself would keep rows without end.
///
/// A row is one stretch of a block: where each value ends, counted from the row's first value and with the highest bit
/// for NULL, then the values.
struct ServerRows {
    private var blocks: [[UInt8]] = []
    /// Where each row begins: its block and its place there.
    private var starts: [(block: Int32, offset: Int32)] = []
    private(set) var columnCount = 0
    /// The memory that the rows take.
    private(set) var size = 0

    private static let block = 1 << 20
    private static let null: UInt32 = 1 << 31

    var count: Int { starts.count }

    /// Appends the one row of a result.
    /// - Returns: False for a row that does not have the columns of the rows before, or is larger than any.
    mutating func append(_ row: OpaquePointer) -> Bool {
        let columns = Int(unsafe PQnfields(row))
        guard unsafe PQntuples(row) == 1, count == 0 || columns == columnCount else { return false }
        columnCount = columns
        var length = 0
        for column in 0..<columns { length += Int(unsafe PQgetlength(row, 0, Int32(column))) }
        let total = 4 * columns + length
        guard total < Int(Int32.max) - Self.block else { return false }
        if blocks.isEmpty || blocks[blocks.count - 1].count + total > Self.block { blocks.append([]) }
        let last = blocks.count - 1
        starts.append((Int32(last), Int32(blocks[last].count)))
        var end: UInt32 = 0
        for column in 0..<columns {
            end += UInt32(unsafe PQgetlength(row, 0, Int32(column)))
            let mark = unsafe PQgetisnull(row, 0, Int32(column)) == 1 ? Self.null : 0
            unsafe withUnsafeBytes(of: end | mark) { unsafe blocks[last].append(contentsOf: $0) }
        }
        for column in 0..<columns {
            let value = unsafe UnsafeRawBufferPointer(
                start: PQgetvalue(row, 0, Int32(column)), count: Int(PQgetlength(row, 0, Int32(column))))
            unsafe blocks[last].append(contentsOf: value)
        }
        size += total + MemoryLayout<(Int32, Int32)>.size
        return true
    }

    /// Whether a place has no value: NULL, or outside of the rows.
    func isNull(_ row: Int, _ column: Int) -> Bool { mark(row, column).map { $0 & Self.null != 0 } ?? true }

    func withBytes<Output>(_ row: Int, _ column: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Output) -> Output {
        guard let end = mark(row, column) else { return unsafe body(UnsafeBufferPointer(start: nil, count: 0)) }
        let start = column == 0 ? 0 : Int((mark(row, column - 1) ?? 0) & ~Self.null)
        let (block, offset) = starts[row]
        let first = Int(offset) + 4 * columnCount
        return unsafe blocks[Int(block)].withUnsafeBufferPointer { bytes in
            unsafe body(UnsafeBufferPointer(rebasing: bytes[(first + start)..<(first + Int(end & ~Self.null))]))
        }
    }

    private func mark(_ row: Int, _ column: Int) -> UInt32? {
        guard starts.indices.contains(row), (0..<columnCount).contains(column) else { return nil }
        let (block, offset) = starts[row]
        return unsafe blocks[Int(block)].withUnsafeBytes {
            unsafe $0.loadUnaligned(fromByteOffset: Int(offset) + 4 * column, as: UInt32.self)
        }
    }
}
