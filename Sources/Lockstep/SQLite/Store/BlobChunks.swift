/// See ``Store/chunks(of:size:)``.
public struct BlobChunks: AsyncSequence, Sendable {
    let store: Store
    let size: Int
    /// Opens the value, in a transaction.
    let open: @Sendable (borrowing Connection) throws -> any PieceReader

    package init(
        store: Store, size: Int,
        open: @escaping @Sendable (borrowing Connection) throws -> any PieceReader
    ) {
        self.store = store
        self.size = size
        self.open = open
    }

    /// Starts at the first byte.
    public func makeAsyncIterator() -> Iterator { Iterator(chunks: self) }

    /// Reads one chunk after another.
    public struct Iterator: AsyncIteratorProtocol {
        let chunks: BlobChunks
        private var reading: SnapshotHold?
        private var offset = 0
        private var hasEnded = false

        init(chunks: BlobChunks) { self.chunks = chunks }

        /// The next chunk, or nil at the end. All chunks but the last have the same size.
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
                hold = try await SnapshotHold.begin(queue, chunks.open)
                reading = hold
            }
            let chunk = try await hold.chunk(from: offset, size: chunks.size)
            offset += chunk.count
            return chunk.isEmpty ? nil : chunk
        }
    }
}
