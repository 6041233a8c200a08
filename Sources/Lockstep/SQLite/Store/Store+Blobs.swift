extension Store {
    /// The bytes of a BLOB or TEXT in chunks, all from one snapshot, with one chunk in memory at a time.
    ///
    /// From the first chunk until the last, or until the iterator is released, the sequence has a connection of its
    /// own, one of ``StoreOptions/streams``, and its snapshot keeps the write-ahead log from restarting. Do not keep an
    /// unfinished iterator. Between two chunks a task can call the store in any way: its reads and writes wait for no
    /// sequence. Closing the store ends the sequence, whose next chunk is then the error ``LockstepError/Code/closed``.
    ///
    /// A store in memory has no second connection: it copies the value at the first chunk, and keeps nothing.
    ///
    /// A sequence can be what ``insertBlob(into:_:from:row:)`` of the same store reads from. In other closures of the
    /// store it is refused, as every other call is.
    public func chunks(of place: BlobPlace, size: Int = 64 * 1024) -> BlobChunks {
        BlobChunks(store: self, size: max(size, 1)) { connection in
            OpenBlob(try Blob(place, .read, on: connection.core))
        }
    }

    /// Inserts a row whose BLOB comes in chunks, in one transaction, with one chunk in memory at a time.
    /// - Parameters:
    ///   - table: The table, which must have rowids.
    ///   - column: The column that receives the bytes.
    ///   - chunks: The bytes. No other write can run until they end: have them ready. They can be ``chunks(of:size:)``
    ///     of this store, which in a store in memory show what `row` has changed. Any other call of this store by the
    ///     sequence is refused.
    ///   - row: Inserts the row with ``ZeroBytes`` of the right length and returns its rowid.
    /// - Throws: Any error from `chunks` or `row`; ``LockstepError/Code/misuse`` if there are fewer or more
    ///   bytes than the row has room for, or if the sequence calls the store; ``LockstepError/Code/full``;
    ///   ``LockstepError/Code/closed``. Nothing is inserted then.
    @concurrent
    @discardableResult
    public func insertBlob<Chunks: AsyncSequence & Sendable>(
        into table: String, _ column: String, from chunks: Chunks, row: @Sendable (borrowing Connection) throws -> Int64
    ) async throws -> Int64 where Chunks.Element == [UInt8] {
        try await writeStream(from: chunks) { connection in
            let place = BlobPlace(table: table, column: column, row: try row(connection))
            // One handle for all chunks: a new handle would search for its position from the first page.
            return (place.row, OpenBlob(try Blob(place, .write, on: connection.core)))
        }
    }

    /// Writes the chunks to the place that `open` returns, in one transaction.
    /// - Parameter open: Returns a rowid, which this method returns too, and the writer that takes the chunks.
    @concurrent
    package func writeStream<Chunks: AsyncSequence & Sendable>(
        from chunks: Chunks, open: @Sendable (borrowing Connection) throws -> (Int64, any PieceWriter)
    ) async throws -> Int64 where Chunks.Element == [UInt8] {
        let lent = LentConnection()
        let call = try StoreCall("insertBlob", of: self, .writer, lent: lent)
        defer { call.leave() }
        let pooled = try await writer.queue.hold(alone: true)
        defer { writer.queue.giveBack(pooled) }
        return try await call.run {
            try await stream(from: chunks, on: pooled, lending: lent, open)
        }
    }

    @concurrent
    private func stream<Chunks: AsyncSequence & Sendable>(
        from chunks: Chunks, on pooled: PooledConnection, lending lent: LentConnection,
        _ open: @Sendable (borrowing Connection) throws -> (Int64, any PieceWriter)
    ) async throws -> Int64 where Chunks.Element == [UInt8] {
        try await writer.transaction(on: pooled) { () async throws -> Int64 in
            let (row, stream) = try pooled.use { connection in
                try connection.guarded { connection in
                    try connection.core.leavingAsFound { try open(connection) }
                }
            }
            do {
                lent.begin(pooled)
                try await append(chunks, to: stream, on: lent)
                try pooled.use { connection in try stream.finish(on: connection) }
            } catch {
                throw cleaningUp(after: error) { try pooled.use { _ in stream.close() } }
            }
            try pooled.use { _ in stream.close() }
            return row
        }
    }

    /// Between two chunks the sequence can use the connection.
    @concurrent
    private func append<Chunks: AsyncSequence & Sendable>(
        _ chunks: Chunks, to stream: any PieceWriter, on lent: LentConnection
    ) async throws where Chunks.Element == [UInt8] {
        defer { lent.end() }
        for try await chunk in chunks {
            try Task.checkCancellation()
            _ = try lent.use { connection in try stream.append(chunk, on: connection) }
        }
    }
}

/// A handle for reading a large value piece by piece. Only the holder of its connection's pooled connection
/// uses it.
package protocol PieceReader: AnyObject {
    /// How many bytes there are.
    var count: Int { get }
    /// Up to `size` bytes from `offset`; empty only at the end.
    func read(_ offset: Int, _ size: Int, on connection: borrowing Connection) throws -> [UInt8]
    func close()
}

/// A handle for writing a large value piece by piece. Only the holder of its connection's pooled connection
/// uses it.
package protocol PieceWriter: AnyObject {
    /// - Throws: ``LockstepError/Code/misuse`` for more bytes than there is room for.
    func append(_ bytes: [UInt8], on connection: borrowing Connection) throws
    /// - Throws: ``LockstepError/Code/misuse`` for fewer bytes than there is room for.
    func finish(on connection: borrowing Connection) throws
    func close()
}

/// A handle on a large BLOB or TEXT. Only the holder of its connection's pooled connection uses it.
final class OpenBlob: PieceReader, PieceWriter {
    private let place: BlobPlace
    private var blob: Blob?
    /// How many bytes were written.
    private var written = 0

    init(_ blob: consuming Blob) {
        place = blob.place
        self.blob = consume blob
    }

    func close() { blob = nil }

    var count: Int { blob?.count ?? 0 }

    func read(_ offset: Int, _ size: Int, on _: borrowing Connection) throws -> [UInt8] {
        guard let count = blob?.count else { throw ConnectionQueue.closed }
        return try blob?.read(at: offset, count: min(size, count - offset)) ?? []
    }

    func append(_ bytes: [UInt8], on _: borrowing Connection) throws {
        guard bytes.count <= count - written else { throw wrongCount(written + bytes.count) }
        try blob?.write(bytes, at: written)
        written += bytes.count
    }

    func finish(on _: borrowing Connection) throws {
        guard written == count else { throw wrongCount(written) }
    }

    private func wrongCount(_ came: Int) -> LockstepError {
        LockstepError(
            .misuse, "\(came) bytes were given for \(place.table).\(place.column), which has room for \(count)",
            hint: "insert the row with ZeroBytes of the right length", context: place.context)
    }
}
