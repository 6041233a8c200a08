/// The row that a decoder reads from. Decoders are values that anybody may keep; a row is on loan: outside of
/// ``reading(_:_:)`` there is none, and reading is an error. One a statement, so that a row costs no memory.
@safe
final class RowReader {
    private var row: UnsafePointer<Row>?
    private(set) var layout = ColumnLayout([], preparations: 0)
    private var next = 0

    /// Lets decoders read `row` while `body` runs.
    func reading<Value>(_ row: UnsafePointer<Row>, _ body: () throws -> Value) throws -> Value {
        let before = unsafe self.row
        defer { unsafe self.row = unsafe before }
        unsafe self.row = unsafe row
        layout = unsafe row.pointee.columns
        next = 0
        return try body()
    }

    func decode<Element: ColumnDecodable>(_ column: Int32) throws -> Element {
        guard let row = unsafe row else { throw Self.gone }
        return try unsafe Element(column: column, of: row.pointee)
    }

    func isNull(_ column: Int32) throws -> Bool {
        guard let row = unsafe row else { throw Self.gone }
        return try unsafe row.pointee.isNull(column)
    }

    /// The column for a property. Properties mostly come in the columns' order: then no look-up is due.
    func column(_ name: String) -> Int32? {
        if layout.isUnambiguous, next < layout.names.count, layout.names[next] == name {
            next += 1
            return Int32(truncatingIfNeeded: next - 1)
        }
        guard let column = layout.ordinal(of: name) else { return nil }
        next = Int(column) + 1
        return column
    }

    private static let gone = LockstepError(
        .misuse, "a decoder is used after the row that it was made for",
        hint: "decode everything in init(from:)")
}
