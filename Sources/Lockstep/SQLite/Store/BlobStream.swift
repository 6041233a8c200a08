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
            // One handle for all: each new one would look for its place from the first page on.
            let open = try seat.use { connection in
                OpenBlob(try Blob(place, .write, on: connection.core))
            }
            do {
                try await open.fill(from: chunks, on: seat)
            } catch {
                try seat.use { _ in open.close() }
                throw error
            }
            try seat.use { _ in open.close() }
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
                hold = try await SnapshotHold.begin(queue)
                reading = hold
            }
            let chunk = try await hold.chunk(of: chunks.place, from: offset, size: chunks.size)
            offset += chunk.count
            return chunk.isEmpty ? nil : chunk
        }
    }
}

/// A handle on a large value that is used piece by piece, by whoever holds the seat.
// Sendable by this proof: `blob` is touched only by the holder of the seat.
private final class OpenBlob: @unchecked Sendable {
    private let place: BlobPlace
    private var blob: Blob?

    init(_ blob: consuming Blob) {
        place = blob.place
        self.blob = consume blob
    }

    func close() { blob = nil }

    func read(_ offset: Int, _ size: Int) throws -> [UInt8] {
        guard let count = blob?.count else { throw SeatQueue.closed }
        return try blob?.read(at: offset, count: min(size, count - offset)) ?? []
    }

    /// Writes all of `chunks`, which must be as many bytes as there is room for.
    func fill<Chunks: AsyncSequence>(
        from chunks: Chunks, on seat: Seat
    ) async throws where Chunks.Element == [UInt8] {
        let room = blob?.count ?? 0
        var offset = 0
        for try await chunk in chunks {
            try Task.checkCancellation()
            guard chunk.count <= room - offset else {
                offset += chunk.count
                break
            }
            try seat.use { _ in try blob?.write(chunk, at: offset) }
            offset += chunk.count
        }
        guard offset == room else {
            throw LockstepError(
                .misuse,
                "\(offset) bytes came for \(place.table).\(place.column), which has room for \(room)",
                hint: "insert the row with ZeroBytes of the right number")
        }
    }
}

/// A reader that is kept, with its snapshot, until the value goes.
// Sendable by this proof: `open` is touched only by the holder of the seat, which this is.
private final class SnapshotHold: @unchecked Sendable {
    private let seat: Seat
    private let queue: SeatQueue
    private var open: OpenBlob?

    static func begin(_ queue: SeatQueue) async throws -> SnapshotHold {
        let seat = try await queue.hold(alone: true)
        do {
            try seat.use { connection in try connection.run(.beginDeferred) }
        } catch {
            queue.giveBack(seat)
            throw error
        }
        return SnapshotHold(seat, queue)
    }

    private init(_ seat: Seat, _ queue: SeatQueue) {
        self.seat = seat
        self.queue = queue
    }

    deinit {
        // Nobody else has the seat yet. Ending a transaction that only read cannot lose anything.
        open?.close()
        try? seat.use { connection in try connection.run(.rollBack) }
        queue.giveBack(seat)
    }

    @concurrent
    func chunk(of place: BlobPlace, from offset: Int, size: Int) async throws -> [UInt8] {
        try seat.use { connection in
            let open: OpenBlob
            if let known = self.open {
                open = known
            } else {
                open = OpenBlob(try Blob(place, .read, on: connection.core))
                self.open = open
            }
            let chunk = try open.read(offset, size)
            try connection.core.readCheck.requireSound(connection.core)
            return chunk
        }
    }
}
