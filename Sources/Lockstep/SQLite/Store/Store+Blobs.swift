extension Store {
    /// The bytes of a BLOB or TEXT in chunks, all of one snapshot, with one chunk in memory at a time.
    ///
    /// From the first chunk to the last, or until the iterator goes, one of the store's readers is taken
    /// and its snapshot keeps the write-ahead log from beginning anew: do not leave one lying about.
    public func chunks(of place: BlobPlace, size: Int = 64 * 1024) -> BlobChunks {
        BlobChunks(store: self, size: max(size, 1)) { connection in
            OpenBlob(try Blob(place, .read, on: connection.core))
        }
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
        try await writeStream(from: chunks) { connection in
            let place = BlobPlace(table: table, column: column, row: try row(connection))
            // One handle for all: each new one would look for its place from the first page on.
            return (place.row, OpenBlob(try Blob(place, .write, on: connection.core)))
        }
    }

    /// Writes what comes in chunks to where `open` says, in one transaction.
    /// - Parameter open: Gives a rowid, which is returned, and what takes the chunks.
    @concurrent
    package func writeStream<Chunks: AsyncSequence & Sendable>(
        from chunks: Chunks,
        open: @Sendable (borrowing Connection) throws -> (Int64, any PieceWriter)
    ) async throws -> Int64 where Chunks.Element == [UInt8] {
        let pooled = try await writer.queue.hold(alone: true)
        defer { writer.queue.giveBack(pooled) }
        return try await writer.transaction(on: pooled) { () async throws -> Int64 in
            let (row, stream) = try pooled.use { connection in try connection.guarded(open) }
            do {
                for try await chunk in chunks {
                    try Task.checkCancellation()
                    try pooled.use { connection in try stream.append(chunk, on: connection) }
                }
                try pooled.use { connection in try stream.finish(on: connection) }
            } catch {
                try pooled.use { _ in stream.close() }
                throw error
            }
            try pooled.use { _ in stream.close() }
            return row
        }
    }
}

/// A handle on a large value that is read piece by piece, by whoever holds the pooled connection of its connection.
package protocol PieceReader: AnyObject {
    /// How many bytes there are.
    var count: Int { get }
    /// Up to `size` bytes from `offset` on; none only at the end.
    func read(_ offset: Int, _ size: Int, on connection: borrowing Connection) throws -> [UInt8]
    func close()
}

/// Takes a large value piece by piece, by whoever holds the pooled connection of its connection.
package protocol PieceWriter: AnyObject {
    /// - Throws: ``LockstepError/Code/misuse`` for more bytes than there is room for.
    func append(_ bytes: [UInt8], on connection: borrowing Connection) throws
    /// - Throws: ``LockstepError/Code/misuse`` for fewer bytes than there is room for.
    func finish(on connection: borrowing Connection) throws
    func close()
}

/// A handle on a large value that is used piece by piece, by whoever holds the pooled connection.
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
            .misuse,
            "\(came) bytes came for \(place.table).\(place.column), which has room for \(count)",
            hint: "insert the row with ZeroBytes of the right number")
    }
}
