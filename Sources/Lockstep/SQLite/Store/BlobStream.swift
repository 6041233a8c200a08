extension Store {
    /// The bytes of a BLOB or TEXT in chunks, all of one snapshot, with one chunk in memory at a time.
    ///
    /// From the first chunk to the last, or until the iterator goes, one of the store's readers is taken
    /// and its snapshot keeps the write-ahead log from beginning anew: do not leave one lying about.
    public func chunks(of place: BlobPlace, size: Int = 64 * 1024) -> BlobChunks {
        BlobChunks(store: self, place: place, size: max(size, 1))
    }

    /// Inserts a row whose BLOB comes in chunks, in one transaction, with one chunk in memory at a time.
    /// - Parameters:
    ///   - table: The table, which must have rowids.
    ///   - column: The column that the bytes are written to.
    ///   - chunks: The bytes. Until they end no other write can run: have them at hand.
    ///   - row: Inserts the row with ``ZeroBytes`` of the right number and gives its rowid.
    /// - Throws: What `chunks` and `row` throw; ``LockstepError/Code/misuse`` if the bytes are fewer or
    ///   more than the row has room for; ``LockstepError/Code/full``. Then nothing is inserted.
    @concurrent
    @discardableResult
    public func insertBlob<Chunks: AsyncSequence & Sendable>(
        into table: String, _ column: String, from chunks: Chunks,
        row: @Sendable (borrowing Connection) throws -> Int64
    ) async throws -> Int64 where Chunks.Element == [UInt8] {
        let seat = try await writer.queue.hold(alone: true)
        defer { writer.queue.giveBack(seat) }
        return try await writer.transaction(on: seat) { () async throws -> Int64 in
            let number = try seat.use { connection in try connection.guarded(row) }
            let place = BlobPlace(table: table, column: column, row: number)
            var offset = 0
            for try await chunk in chunks {
                try Task.checkCancellation()
                try seat.use { connection in
                    try connection.withBlob(place, .write) { blob in
                        try blob.write(chunk, at: offset)
                    }
                }
                offset += chunk.count
            }
            let room = try seat.use { connection in
                try connection.withBlob(place) { blob in blob.count }
            }
            guard offset == room else {
                throw LockstepError(
                    .misuse,
                    "\(offset) bytes came for \(table).\(column), which has room for \(room)",
                    hint: "insert the row with ZeroBytes of the right number")
            }
            return number
        }
    }
}

/// See ``Store/chunks(of:size:)``.
public struct BlobChunks: AsyncSequence, Sendable {
    let store: Store
    let place: BlobPlace
    let size: Int

    /// Begins at the first byte.
    public func makeAsyncIterator() -> Iterator { Iterator(chunks: self) }

    /// Reads one chunk after another.
    public struct Iterator: AsyncIteratorProtocol {
        let chunks: BlobChunks
        private var reading: SnapshotHold?
        private var offset = 0
        private var hasEnded = false

        init(chunks: BlobChunks) { self.chunks = chunks }

        /// The next chunk, all but the last of the same size; nil at the end.
        /// - Throws: ``LockstepError/Code/sqlFailed`` if there is no such value; `CancellationError`.
        public mutating func next() async throws -> [UInt8]? {
            guard !hasEnded else { return nil }
            do {
                let chunk = try await nextChunk()
                hasEnded = chunk == nil
                if hasEnded { reading = nil }
                return chunk
            } catch {
                hasEnded = true
                reading = nil
                throw error
            }
        }

        private mutating func nextChunk() async throws -> [UInt8]? {
            try Task.checkCancellation()
            let hold: SnapshotHold
            if let reading {
                hold = reading
            } else {
                let queue = chunks.store.readers ?? chunks.store.writer.queue
                hold = try SnapshotHold(try await queue.hold(alone: true), queue)
                reading = hold
            }
            let chunk = try await hold.chunk(of: chunks.place, from: offset, size: chunks.size)
            offset += chunk.count
            return chunk.isEmpty ? nil : chunk
        }
    }
}

/// A reader that is kept, with its snapshot, until the value goes.
private final class SnapshotHold: Sendable {
    private let seat: Seat
    private let queue: SeatQueue

    init(_ seat: Seat, _ queue: SeatQueue) throws {
        self.seat = seat
        self.queue = queue
        do {
            try seat.use { connection in try connection.run(.beginDeferred) }
        } catch {
            queue.giveBack(seat)
            throw error
        }
    }

    deinit {
        // Ending a transaction that only read cannot lose anything.
        try? seat.use { connection in try connection.run(.rollBack) }
        queue.giveBack(seat)
    }

    @concurrent
    func chunk(of place: BlobPlace, from offset: Int, size: Int) async throws -> [UInt8] {
        try seat.use { connection in
            try connection.withBlob(place) { blob in
                try blob.read(at: offset, count: min(size, blob.count - offset))
            }
        }
    }
}
