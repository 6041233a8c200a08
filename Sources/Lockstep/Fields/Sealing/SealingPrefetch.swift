internal import SystemPackage

/// Makes the cells of the next rows on a second thread and connection while the rows before them are written. A change
/// of a column's cells then uses two processors.
///
/// The prefetched cells are written only if no other connection has committed since the rows were read. The database's
/// data version shows this: it changes with every commit of another connection. It works as compare-and-swap for all
/// rows of a batch at once. After another commit, the batch is done without the prefetched cells.
///
/// It belongs to the writing thread; ``Shared`` contains the state that both threads use.
final class SealingPrefetch {
    private let change: SealingChange
    private let keys: FieldKeys
    private let thread = WorkerThread()
    private let shared = Shared()
    /// The state of the rows when the last job started; nil if there is none.
    private var mark: Mark?

    /// The number of batches that were prefetched and used.
    private(set) var taken = 0

    /// The maximum bytes that are held for waiting rows.
    private static let maximumBytes: Int64 = 16 << 20

    private struct Mark {
        let start: Int64?
        /// Commits of the writing connection do not change it.
        let dataVersion: Int64
    }

    /// Nil if a second connection is of no use, or not possible.
    init?(_ change: SealingChange, _ keys: FieldKeys, _ connection: borrowing Connection) {
        guard let key = connection.core.attachment.key, Processors.count > 1 else { return nil }
        self.change = change
        self.keys = keys
        shared.source = Source(path: connection.path, key: key, keys: keys)
    }

    deinit { shared.close() }

    // MARK: For the writing thread

    /// Starts making the cells of the rows after `start`. The open transaction must be a write transaction.
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

    /// The cells of the rows after `start`, in a write transaction; nil if they are of no use. Waits for the job.
    func take(
        after start: Int64?, _ connection: borrowing Connection
    ) throws(LockstepError) -> PreparedCells? {
        guard let mark else { return nil }
        self.mark = nil
        let made = shared.take()
        guard mark.start == start, try mark.dataVersion == connection.core.dataVersion() else {
            return nil
        }
        if made != nil { taken += 1 }
        return made
    }

    /// Discards the prefetched cells if `body`, which is not part of the engine, changes rows through the same
    /// connection.
    func watch<Result>(
        _ connection: borrowing Connection, _ body: () throws -> Result
    ) rethrows -> Result {
        let before = connection.rowChanges
        defer { if connection.rowChanges != before { mark = nil } }
        return try body()
    }

    /// Waits until the running job has finished.
    func wait() { shared.wait() }

    /// Closes the second connection, so that it does not block the next steps.
    func close() {
        mark = nil
        shared.close()
    }
}

/// The parameters for opening the second connection.
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

/// The state that both threads share.
// Sendable by this proof: `made`, `connection` and `source` have one user at a time: the job from `begin` until it sets
// `isBusy` to false, and the writing thread before `begin` and once it has seen that. `isBusy` has its own lock.
private final class Shared: @unchecked Sendable {
    private let isBusy = Monitor(false)
    private var made: PreparedCells?
    private var connection: Connection?
    var source: Source?

    func begin() {
        made = nil
        isBusy.locked { $0 = true }
    }

    /// Runs a job. A job that fails has made nothing: the writing thread meets the same failure and reports it better.
    func finish(_ job: (borrowing Connection) throws -> PreparedCells?) {
        made = (try? run(job)) ?? nil
        isBusy.locked { $0 = false }
        isBusy.signal()
    }

    private func run(_ job: (borrowing Connection) throws -> PreparedCells?) throws
        -> PreparedCells?
    {
        if connection == nil { connection = try source?.open() }
        switch connection {
        case nil: return nil
        case .some(let connection): return try connection.read(job)
        }
    }

    /// Waits until no job runs.
    func wait() { isBusy.wait { $0 ? nil : () } }

    /// The job's result, after it has finished.
    func take() -> PreparedCells? {
        wait()
        defer { made = nil }
        return made
    }

    func close() {
        _ = take()
        connection = nil
    }
}

/// The cells of some rows, as SQLite values. One thread fills it and hands it to the writing thread.
final class PreparedCells {
    let piece: SealingChange.Piece
    private var rowIDs: [Int64] = []
    /// The values of all rows, one row after another.
    private var values: [CopiedValue] = []

    init(_ piece: SealingChange.Piece) { self.piece = piece }

    deinit { for value in values { value.free() } }

    /// Adds a row: its rowid, and copies of the other columns.
    func add(_ row: borrowing Row) throws(LockstepError) {
        rowIDs.append(try row[0])
        for column in 1..<row.count {
            guard let copy = CopiedValue(row, column) else {
                throw LockstepError(.tooLarge, "there is not enough memory for a batch of cells")
            }
            values.append(copy)
        }
    }

    /// Writes the rows with a statement whose parameters are the values and the rowid. No trigger fires.
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

/// One row's values, as parameters of a statement.
private struct ReplacedRow: RowEncodable {
    let cells: ArraySlice<CopiedValue>
    let rowID: Int64

    func encode(to parameters: inout Parameters) {
        for cell in cells { parameters.append(cell) }
        parameters.append(rowID)
    }
}

extension SealingChange {
    /// The new cells of the rows after `start`; nil if one statement can do them better.
    fileprivate func made(
        _ count: Int, after start: Int64, _ keys: FieldKeys, _ connection: borrowing Connection,
        maximumBytes: Int64
    ) throws -> PreparedCells? {
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
        let made = PreparedCells(piece)
        let rows = try connection.prepare(
            conversion(sealed, shape, connection).selection(
                rowID, range + needsChange(sealed, keys)))
        try rows.bind(values: piece.bounds)
        try rows.forEach { row in try made.add(row) }
        return made
    }
}
