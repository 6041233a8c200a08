internal import Synchronization
internal import SystemPackage

// How a batch gets its cells from another thread.
//
// While the writing thread writes a batch in its transaction, the prefetching thread reads the rows that follow, on its
// own connection, and makes their cells. Between its reading and the writing thread's next transaction, anybody can
// commit: another process, another connection of this one, and the program's progress closure on the writing connection
// itself. So three rules hold.
//
// - The prefetching thread has one job at a time, and nothing else uses its connection: its jobs open it, read on it,
//   and close it. The writing thread waits for the end of one job before it submits another.
// - Prefetched cells are for the column and the table as the job found them. If either has changed since, even if it
//   was only unsealed and sealed again, they are discarded.
// - A cell is written only to a row that still has the value, and the primary key, of which the cell was made: an
//   UPDATE compares them in the transaction that writes. Rows for which they differ are read again there and converted
//   by the writing thread. After a commit of another connection, which the database's data version shows, so are rows
//   that the job has not seen.

/// Makes the cells of the next rows on a second thread and connection while the rows before them are written. A change
/// of a column's cells then uses two processors.
///
/// It belongs to the writing thread; ``Reader`` is what the prefetching thread owns.
final class SealingPrefetch {
    private let change: SealingChange
    private let keys: FieldKeys
    private let trial = SealingPrefetch.trial
    private let thread = WorkerThread()
    private let reader: Reader
    /// The state of the database when the last job was submitted; nil if there is none to take the cells from.
    private var mark: Mark?
    /// Whether the reader can have a connection.
    private var isOpen = false

    /// The number of batches that were prefetched and used.
    private(set) var taken = 0

    private struct Mark {
        let start: Int64?
        /// Commits of the writing connection do not change it.
        let dataVersion: Int64
        /// Whether the writing connection has changed rows outside of batches.
        var isOvertaken = false
    }

    /// Prefetched cells, and whether rows might have changed since they were read.
    struct Handover {
        let cells: PreparedCells
        let isOvertaken: Bool
    }

    /// Nil if a second connection is of no use, or not possible.
    init?(_ change: SealingChange, _ keys: FieldKeys, _ connection: borrowing Connection) {
        guard let key = connection.core.attachment.key, Processors.count > 1 else { return nil }
        self.change = change
        self.keys = keys
        reader = Reader(Source(path: connection.path, key: key, keys: keys))
    }

    deinit { close() }

    /// Starts making the cells of the rows after `start`. The open transaction must be a write transaction. If the
    /// system has no thread left, nothing is made.
    func make(
        _ count: Int, after start: Int64, _ connection: borrowing Connection
    ) throws(LockstepError) {
        reader.discard()
        let version = try connection.core.dataVersion()
        let (change, keys, trial, reader) = (change, keys, trial, reader)
        mark = nil
        isOpen = true
        let isSubmitted = submit {
            reader.run(trial) { connection in
                try change.made(count, after: start, keys, connection, trial) { reader.isStopped }
            }
        }
        if isSubmitted { mark = Mark(start: start, dataVersion: version) }
    }

    /// The cells of the rows after `start`, in a write transaction; nil if there are none for this column and table.
    /// Waits for the job.
    func take(
        after start: Int64?, _ column: SealedColumn, _ shape: SealedTable,
        _ connection: borrowing Connection
    ) throws(LockstepError) -> Handover? {
        guard let mark else { return nil }
        self.mark = nil
        guard let made = reader.take(), mark.start == start,
            made.isFor(column, shape) || !trial.comparesCells
        else { return nil }
        let isUnchanged = try mark.dataVersion == connection.core.dataVersion()
        taken += 1
        return Handover(
            cells: made,
            isOvertaken: (mark.isOvertaken || !isUnchanged) && trial.comparesCells)
    }

    /// Notices if `body`, which is not part of the engine, changes rows through the same connection.
    func watch<Result>(
        _ connection: borrowing Connection, _ body: () throws -> Result
    ) rethrows -> Result {
        let before = connection.rowChanges
        defer { if connection.rowChanges != before { mark?.isOvertaken = true } }
        return try body()
    }

    /// Whether prefetched cells are compared with the rows.
    var comparesCells: Bool { trial.comparesCells }

    /// Waits until the running job has finished: before a write transaction begins, so that others can write meanwhile.
    func wait() { reader.wait() }

    /// Ends the running job and closes the second connection, which would block the next steps. The next job opens
    /// another one.
    func close() {
        mark = nil
        guard isOpen else { return }
        isOpen = false
        let reader = reader
        reader.stop()
        _ = submit { reader.close() }
        reader.discard()
    }

    /// Whether the thread got the job, which must be the only one.
    private func submit(_ job: @escaping WorkerThread.Job) -> Bool {
        reader.begin()
        do throws(LockstepError) {
            try thread.submit(job)
            return true
        } catch {
            reader.end(nil)
            return false
        }
    }
}

extension SealingPrefetch {
    /// What happens between reading rows and writing their cells: for tests, which write there or switch off a rule.
    struct Trial: Sendable {
        /// A point in a job.
        enum Point: Sendable, CaseIterable {
            /// Before it reads.
            case begins
            /// In its read transaction, before it reads the rows.
            case counted
            /// In its read transaction, after it has read them.
            case read
            /// After its read transaction.
            case made
        }

        /// Whether a cell is written only over the value that it was made of.
        var comparesCells = true
        /// Called by the prefetching thread.
        var reach: @Sendable (Point) -> Void = { _ in }
    }

    @TaskLocal static var trial = Trial()
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
        // The first connection has compared the keyring with the file, and others can change both meanwhile.
        options.isLater = true
        options.addition = SealedFields(
            [keys], hasViews: false, firstTime: true, mayBeUnknown: true, proof: SealedProof(isOpened: true))
        return try Connection.open(path, key: key.value, options: options)
    }
}

/// What the prefetching thread owns, and what it hands over.
// Sendable by this proof: only the prefetching thread's jobs use `connection`, one at a time, and the last of them
// leaves it nil. `state` and `stopping` can be used by any thread.
private final class Reader: @unchecked Sendable {
    private enum State: Sendable {
        case idle
        /// A job was submitted and has not ended.
        case busy
        case made(PreparedCells)
    }

    private let state = Monitor(State.idle)
    private let stopping = Atomic<Bool>(false)
    private let source: Source
    private var connection: Connection?

    init(_ source: Source) { self.source = source }

    // MARK: For the prefetching thread

    /// Runs a job. A job that fails has made nothing: the writing thread meets the same failure and reports it better.
    func run(
        _ trial: SealingPrefetch.Trial, _ job: (borrowing Connection) throws -> PreparedCells?
    ) {
        trial.reach(.begins)
        let made = (try? read(job)) ?? nil
        trial.reach(.made)
        end(made)
    }

    private func read(_ job: (borrowing Connection) throws -> PreparedCells?) throws -> PreparedCells? {
        if connection == nil { connection = try source.open() }
        switch connection {
        case nil: return nil
        case .some(let connection): return try connection.read(job)
        }
    }

    /// Whether the running job should end early.
    var isStopped: Bool { stopping.load(ordering: .relaxed) }

    /// The job that closes the connection.
    func close() {
        connection = nil
        end(nil)
    }

    // MARK: For both threads

    func end(_ made: PreparedCells?) {
        state.locked { $0 = made.map { .made($0) } ?? .idle }
        state.signal()
    }

    // MARK: For the writing thread

    /// Takes the place of a job that is about to be submitted. No other job may run.
    func begin() {
        stopping.store(false, ordering: .relaxed)
        state.locked { $0 = .busy }
    }

    /// Waits until no job runs.
    func wait() {
        state.wait { state -> Void? in
            guard case .busy = state else { return () }
            return nil
        }
    }

    /// The result of the last job, after it has ended.
    func take() -> PreparedCells? {
        state.wait { state -> PreparedCells?? in
            switch state {
            case .busy: return nil
            case .idle: return .some(nil)
            case .made(let made):
                state = .idle
                return .some(made)
            }
        }
    }

    /// Waits until no job runs, and drops the result of the last one.
    func discard() { _ = take() }

    /// Ends the running job early, and waits for its end.
    func stop() {
        stopping.store(true, ordering: .relaxed)
        discard()
    }
}

extension SealingChange {
    /// The maximum bytes in the BLOBs of rows whose cells are prefetched.
    private static let prefetchedBytes: Int64 = 16 << 20

    /// The new cells of the rows after `start`; nil if one statement can do them better.
    fileprivate func made(
        _ count: Int, after start: Int64, _ keys: FieldKeys, _ connection: borrowing Connection,
        _ trial: SealingPrefetch.Trial, isStopped: () -> Bool
    ) throws -> PreparedCells? {
        let sealed = try knownColumn(knownRegistry(keys, connection))
        let shape = try shape(connection)
        guard let rowID = shape.rowIDName, let piece = try next(count, after: start, rowID, shape, connection),
            piece.bytes <= Self.prefetchedBytes
        else { return nil }
        trial.reach(.counted)
        let range = "\(piece.condition(rowID)) AND "
        if goal == .reseal, let large = LargeCells(shape, column),
            try !large.rows(range, piece.bounds, connection).isEmpty
        {
            return nil
        }
        let made = PreparedCells(piece, sealed, shape)
        let rows = try connection.prepare(
            conversion(sealed, shape, connection).selection(rowID, range + needsChange(sealed, keys)))
        try rows.bind(values: piece.bounds)
        try rows.forEach { row in
            guard !isStopped() else { throw CancellationError() }
            try made.add(row)
        }
        trial.reach(.read)
        return made
    }
}
