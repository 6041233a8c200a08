internal import SystemPackage

/// Makes the cells of the next rows on a thread and a connection of its own, while the rows before them are written:
/// a change of a column's cells then keeps two processors at work.
///
/// What was made is written only if nobody has committed anything since the rows were read, as the database's data
/// version tells: it changes with every commit of another connection. That is compare-and-swap for all rows of a
/// batch at once. Where somebody has, the batch is done as if nothing had been made.
///
/// It belongs to the thread that writes; what the other one knows of is in ``Shared``.
final class SealingPrefetch {
    private let change: SealingChange
    private let keys: FieldKeys
    private let thread = WorkerThread()
    private let shared = Shared()
    /// What the rows were like when the last job was given; nil if there is none.
    private var mark: Mark?

    /// How many batches were made and of use.
    private(set) var taken = 0

    /// More bytes than these are not held for rows that wait.
    private static let maximumBytes: Int64 = 16 << 20

    private struct Mark {
        let start: Int64?
        /// Commits of the connection that asks for it leave it as it is.
        let dataVersion: Int64
    }

    /// Nil where a second connection is of no use, or cannot be had.
    init?(_ change: SealingChange, _ keys: FieldKeys, _ connection: borrowing Connection) {
        guard let key = connection.core.key, Processors.count > 1 else { return nil }
        self.change = change
        self.keys = keys
        shared.source = Source(path: connection.path, key: key, keys: keys)
    }

    deinit { shared.close() }

    // MARK: For the thread that writes

    /// Begins to make the cells of the rows behind `start`. The transaction that is open must be one that writes.
    func make(
        _ count: Int, after start: Int64, _ connection: borrowing Connection
    ) throws(LockstepError) {
        mark = Mark(start: start, dataVersion: try connection.core.dataVersion())
        let (change, keys, shared) = (change, keys, shared)
        shared.begin()
        do throws(LockstepError) {
            try thread.submit {
                shared.finish { connection in
                    try change.made(
                        count, after: start, keys, connection, maximumBytes: Self.maximumBytes)
                }
            }
        } catch {
            shared.finish { _ in nil }
            throw error
        }
    }

    /// What was made of the rows behind `start`, in a transaction that writes; nil if it is of no use. Waits for it.
    func take(
        after start: Int64?, _ connection: borrowing Connection
    ) throws(LockstepError) -> MadeCells? {
        guard let mark else { return nil }
        self.mark = nil
        let made = shared.take()
        guard mark.start == start, try mark.dataVersion == connection.core.dataVersion() else {
            return nil
        }
        if made != nil { taken += 1 }
        return made
    }

    /// Forgets what was made where `body`, which is not of the engine, changes rows through the same connection.
    func watch<Result>(
        _ connection: borrowing Connection, _ body: () throws -> Result
    ) rethrows -> Result {
        let before = connection.rowChanges
        defer { if connection.rowChanges != before { mark = nil } }
        return try body()
    }

    /// Waits until what was begun is made.
    func wait() { shared.wait() }

    /// Ends the second connection: nothing of its own is to be in the way of what comes next.
    func close() {
        mark = nil
        shared.close()
    }
}

/// From what the second connection is opened.
private struct Source {
    let path: FilePath
    let key: SharedSecret<DatabaseKey>
    let keys: FieldKeys

    func open() throws -> Connection {
        var options = ConnectionOptions()
        options.isQueryOnly = true
        options.sharesLog = true
        options.addition = SealedFields(
            [keys], hasViews: false, mayBeUnsealed: true, mayBeUnknown: true)
        return try Connection.open(path, key: key.value, options: options)
    }
}

/// What both threads know of.
// Sendable by this proof: from `begin` until the job is over all properties but the flag are the job's alone, else the
// writing thread's; the flag is touched only while the condition's lock is held.
private final class Shared: @unchecked Sendable {
    private let changed = Condition()
    private var isBusy = false
    private var made: MadeCells?
    private var connection: Connection?
    var source: Source?

    func begin() {
        made = nil
        changed.locked { isBusy = true }
    }

    /// Runs a job. One that fails has made nothing: the thread that writes meets the same failure, and knows better
    /// what to say of it.
    func finish(_ job: (borrowing Connection) throws -> MadeCells?) {
        made = (try? run(job)) ?? nil
        changed.locked { isBusy = false }
        changed.signal()
    }

    private func run(_ job: (borrowing Connection) throws -> MadeCells?) throws -> MadeCells? {
        if connection == nil { connection = try source?.open() }
        switch connection {
        case nil: return nil
        case .some(let connection): return try connection.read(job)
        }
    }

    /// Waits until no job runs.
    func wait() { changed.locked { while isBusy { changed.wait() } } }

    /// What the job has made, once it is over.
    func take() -> MadeCells? {
        wait()
        defer { made = nil }
        return made
    }

    func close() {
        _ = take()
        connection = nil
    }
}

/// The cells of some rows, as SQLite has them. One thread fills it, and hands it to the one that writes.
final class MadeCells {
    let piece: SealingChange.Piece
    private var rowIDs: [Int64] = []
    /// Those of one row behind those of the other.
    private var values: [CopiedValue] = []

    init(_ piece: SealingChange.Piece) { self.piece = piece }

    deinit { for value in values { value.free() } }

    /// Takes what a row gives: its rowid, and copies of the other columns.
    func add(_ row: borrowing Row) throws(LockstepError) {
        rowIDs.append(try row[0])
        for column in 1..<row.count {
            guard let copy = CopiedValue(row, column) else {
                throw LockstepError(.tooLarge, "there is no memory left for a batch of cells")
            }
            values.append(copy)
        }
    }

    /// Writes them, with a statement whose parameters are the values and the rowid. No trigger fires.
    func write(_ replacement: SQL, _ connection: borrowing Connection) throws(LockstepError) {
        guard !rowIDs.isEmpty else { return }
        let width = values.count / rowIDs.count
        try connection.withoutTriggers { () throws(LockstepError) in
            let statement = try connection.prepare(replacement)
            for (index, rowID) in rowIDs.enumerated() {
                let cells = values[(index * width)..<((index + 1) * width)]
                try statement.run(row: ReplacedRow(cells: cells, rowID: rowID))
            }
        }
    }
}

/// One row's values on their way into a statement.
private struct ReplacedRow: RowEncodable {
    let cells: ArraySlice<CopiedValue>
    let rowID: Int64

    func encode(to parameters: inout Parameters) {
        for cell in cells { parameters.append(cell) }
        parameters.append(rowID)
    }
}

extension SealingChange {
    /// What becomes of the rows behind `start`; nil where they are better done in one statement.
    fileprivate func made(
        _ count: Int, after start: Int64, _ keys: FieldKeys, _ connection: borrowing Connection,
        maximumBytes: Int64
    ) throws -> MadeCells? {
        let sealed = try knownColumn(knownRegistry(keys, connection))
        let shape = try shape(connection)
        guard let rowID = shape.rowIDName,
            let piece = try next(count, after: start, rowID, shape, connection),
            piece.bytes <= maximumBytes
        else { return nil }
        let range = "\(piece.condition(rowID)) AND "
        if goal == .reseal, let large = LargeCells(shape, column),
            try !large.rows(range, piece.bounds, connection).isEmpty
        {
            return nil
        }
        let made = MadeCells(piece)
        let rows = try connection.prepare(
            conversion(sealed, shape, connection).selection(
                rowID, range + isDue(sealed.mode, keys)))
        try rows.bind(values: piece.bounds)
        try rows.forEach { row in try made.add(row) }
        return made
    }
}
