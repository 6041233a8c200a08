internal import Synchronization

/// The row that decoders read from. Decoders are values that a program can keep, but a row is only lent:
/// reading outside ``reading(_:_:)``, or with the decoder of another row, is an error.
///
/// Each statement has one reader, so that a row needs no allocation. A reader is never freed, but passed on to
/// another statement: this makes ``BorrowedRow`` safe without reference counts, which would take a third of the
/// decoding time.
@safe
final class RowReader {
    private var row: UnsafePointer<Row>?
    /// Identifies the current row; no two rows have the same number.
    private var turn: UInt64 = 0
    private var turns: UInt64 = 0
    private var layout = ColumnLayout([], preparations: 0)
    private var next = 0
    /// The type that rows were last decoded to, and the same if it is a record: looking that up takes longer than
    /// decoding a value.
    private var target: Any.Type = Never.self
    private var targetRecord: (any Record.Type)?

    // Sendable by this proof: nobody uses an idle reader, and the mutex hands it to one thread.
    private struct Idle: @unchecked Sendable {
        var readers: [RowReader] = []
    }

    private static let idle = Mutex(Idle())

    /// Takes an unused reader, or creates one.
    static func take() -> RowReader {
        let idle = idle.withLock { idle in Idle(readers: idle.readers.popLast().map { [$0] } ?? []) }
        if let reader = idle.readers.first { return reader }
        let reader = RowReader()
        // This reference is never released.
        unsafe _ = Unmanaged.passRetained(reader)
        return reader
    }

    /// Returns the reader for the next statement.
    func giveBack() {
        let own = Idle(readers: [self])
        Self.idle.withLock { $0.readers += own.readers }
    }

    /// Lets decoders read `row`, for a value of `type`, while `body` runs.
    func reading<Value>(
        _ row: UnsafePointer<Row>, as type: Value.Type, _ body: (BorrowedRow) throws -> Value
    ) throws -> Value {
        let before = unsafe (self.row, turn)
        let (outer, outerRecord) = (target, targetRecord)
        let isOther = outer != type
        if isOther { (target, targetRecord) = (type, type as? any Record.Type) }
        defer {
            unsafe (self.row, turn) = unsafe before
            // A row that is decoded to one type within another's decoding leaves that as it was. On its own it keeps
            // the type for the next row.
            if isOther, unsafe self.row != nil { (target, targetRecord) = (outer, outerRecord) }
        }
        unsafe self.row = unsafe row
        turns += 1
        turn = turns
        let columns = unsafe row.pointee.columns
        if layout !== columns { layout = columns }
        next = 0
        return try body(BorrowedRow(self, turn))
    }

    fileprivate func names(_ turn: UInt64) -> [String] { turn == self.turn ? layout.names : [] }

    fileprivate func record(_ turn: UInt64) -> (any Record.Type)? {
        turn == self.turn ? targetRecord : nil
    }

    fileprivate func decode<Element: ColumnDecodable>(
        _ column: Int32, _ turn: UInt64
    ) throws -> Element {
        guard turn == self.turn, let row = unsafe row else { throw Self.gone }
        return try unsafe Element(column: column, of: row.pointee)
    }

    fileprivate func isNull(_ column: Int32, _ turn: UInt64) throws -> Bool {
        guard turn == self.turn, let row = unsafe row else { throw Self.gone }
        return try unsafe row.pointee.isNull(column)
    }

    /// Properties mostly come in the columns' order: then no lookup is needed.
    fileprivate func column(_ name: String, _ turn: UInt64) throws -> Int32? {
        guard turn == self.turn, unsafe row != nil else { throw Self.gone }
        if layout.isUnambiguous, next < layout.names.count, layout.names[next].hasSameBytes(as: name) {
            next += 1
            return Int32(truncatingIfNeeded: next - 1)
        }
        guard let column = layout.ordinal(of: name) else { return nil }
        next = Int(column) + 1
        return column
    }

    private static let gone = LockstepError(
        .misuse, "a decoder was used after its row",
        hint: "decode everything in init(from:)")
}

/// A row for decoders. It holds no counted reference, which each copy of a decoder would update; Swift's
/// containers copy it for each property.
@safe
struct BorrowedRow {
    // A reader is never freed.
    private let reader: Unmanaged<RowReader>
    private let turn: UInt64

    fileprivate init(_ reader: RowReader, _ turn: UInt64) {
        unsafe self.reader = Unmanaged.passUnretained(reader)
        self.turn = turn
    }

    /// The columns' names; none after the row has ended.
    var names: [String] { unsafe reader._withUnsafeGuaranteedRef { $0.names(turn) } }

    /// The name of a column, if there is one.
    func name(_ column: Int32) -> String {
        let names = names
        return names.indices.contains(Int(column)) ? names[Int(column)] : ""
    }

    /// The record that the row is decoded to, if it is one.
    var record: (any Record.Type)? {
        unsafe reader._withUnsafeGuaranteedRef { $0.record(turn) }
    }

    func decode<Element: ColumnDecodable>(_ column: Int32) throws -> Element {
        try unsafe reader._withUnsafeGuaranteedRef { try $0.decode(column, turn) }
    }

    func isNull(_ column: Int32) throws -> Bool {
        try unsafe reader._withUnsafeGuaranteedRef { try $0.isNull(column, turn) }
    }

    /// The column for a property, or nil if there is none.
    func column(_ name: String) throws -> Int32? {
        try unsafe reader._withUnsafeGuaranteedRef { try $0.column(name, turn) }
    }
}
