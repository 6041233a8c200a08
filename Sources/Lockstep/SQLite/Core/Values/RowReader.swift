internal import Synchronization

/// The row that decoders read from. Decoders are values that anybody may keep; a row is on loan: outside of
/// ``reading(_:_:)``, and for the decoder of another row, reading is an error.
///
/// A statement has one, so that a row costs no memory. It is never freed, but goes on to another statement:
/// so ``LentRow`` can be safe without counting references, which would take a third of the time of decoding.
@safe
final class RowReader {
    private var row: UnsafePointer<Row>?
    /// Which row it is on; no two have the same number.
    private var turn: UInt64 = 0
    private var turns: UInt64 = 0
    private var layout = ColumnLayout([], preparations: 0)
    private var next = 0

    // Sendable by this proof: nobody uses an idle reader, and the mutex hands it to one thread.
    private struct Idle: @unchecked Sendable {
        var readers: [RowReader] = []
    }

    private static let idle = Mutex(Idle())

    /// One that nobody uses.
    static func take() -> RowReader {
        let idle = idle.withLock { idle in Idle(readers: idle.readers.popLast().map { [$0] } ?? [])
        }
        if let reader = idle.readers.first { return reader }
        let reader = RowReader()
        // Nobody ever gives this reference back.
        unsafe _ = Unmanaged.passRetained(reader)
        return reader
    }

    /// For whoever comes next.
    func giveBack() {
        let own = Idle(readers: [self])
        Self.idle.withLock { $0.readers += own.readers }
    }

    /// Lets decoders read `row` while `body` runs.
    func reading<Value>(
        _ row: UnsafePointer<Row>, _ body: (LentRow) throws -> Value
    ) throws -> Value {
        let before = unsafe (self.row, turn)
        defer { unsafe (self.row, turn) = unsafe before }
        unsafe self.row = unsafe row
        turns += 1
        turn = turns
        let columns = unsafe row.pointee.columns
        if layout !== columns { layout = columns }
        next = 0
        return try body(LentRow(self, turn))
    }

    fileprivate func names(_ turn: UInt64) -> [String] { turn == self.turn ? layout.names : [] }

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

    /// Properties mostly come in the columns' order: then no look-up is due.
    fileprivate func column(_ name: String, _ turn: UInt64) throws -> Int32? {
        guard turn == self.turn, unsafe row != nil else { throw Self.gone }
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

/// A row as decoders know it: without a reference that is counted each time a decoder is copied, as Swift's
/// containers do for each property.
@safe
struct LentRow {
    // A reader is never freed.
    private let reader: Unmanaged<RowReader>
    private let turn: UInt64

    fileprivate init(_ reader: RowReader, _ turn: UInt64) {
        unsafe self.reader = Unmanaged.passUnretained(reader)
        self.turn = turn
    }

    /// The columns' names; none once the row is gone.
    var names: [String] { unsafe reader._withUnsafeGuaranteedRef { $0.names(turn) } }

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
