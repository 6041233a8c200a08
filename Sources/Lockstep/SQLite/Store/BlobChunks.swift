/// See ``Store/chunks(of:size:)``.
public struct BlobChunks: AsyncSequence, Sendable {
    let store: Store
    let size: Int
    /// Opens the value, in a transaction.
    let open: @Sendable (borrowing Connection) throws -> any PieceReader

    package init(store: Store, size: Int, open: @escaping @Sendable (borrowing Connection) throws -> any PieceReader) {
        self.store = store
        self.size = size
        self.open = open
    }

    /// Starts at the first byte.
    public func makeAsyncIterator() -> Iterator { Iterator(chunks: self) }

    /// Reads one chunk after another.
    public struct Iterator: AsyncIteratorProtocol {
        let chunks: BlobChunks
        private var reading: ChunkSource?
        private var offset = 0
        private var hasEnded = false

        init(chunks: BlobChunks) { self.chunks = chunks }

        /// The next chunk, or nil at the end. All chunks but the last have the same size.
        /// - Throws: ``LockstepError/Code/sqlFailed`` if there is no such value; `CancellationError`;
        ///   ``LockstepError/Code/closed`` if the store has closed. For the first chunk also
        ///   ``LockstepError/Code/limitExceeded`` if ``StoreOptions/streams`` snapshots are kept already, and
        ///   ``LockstepError/Code/misuse`` inside of a closure of the store.
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
            let source: ChunkSource
            if let reading {
                source = reading
            } else {
                source = try await chunks.store.beginChunks(chunks.open)
                reading = source
            }
            let chunk = try await source.chunk(from: offset, size: chunks.size)
            offset += chunk.count
            return chunk.isEmpty ? nil : chunk
        }
    }
}

/// What a sequence of chunks reads from.
enum ChunkSource {
    case snapshot(SnapshotHold)
    /// The whole value, of a store in memory.
    case copy([UInt8])

    func chunk(from offset: Int, size: Int) async throws -> [UInt8] {
        switch self {
        case .snapshot(let hold): return try await hold.chunk(from: offset, size: size)
        case .copy(let bytes):
            return Array(bytes[offset..<min(bytes.count - offset, size) + offset])
        }
    }
}

extension Store {
    /// Opens a value to be read in chunks.
    /// - Throws: ``LockstepError/Code/misuse``, ``LockstepError/Code/limitExceeded``, ``LockstepError/Code/closed``; in
    ///   a store in memory the errors of the value.
    func beginChunks(_ open: @escaping SnapshotHold.Opener) async throws -> ChunkSource {
        try StoreCall.refuseChunks(of: self)
        guard !source.options.sharesReaders else {
            let call = try StoreCall("chunks", of: self, .reader)
            defer { call.leave() }
            let keeper = StoreCall(keeping: "chunks", of: self)
            return .snapshot(try await SnapshotHold.begin(sharing: readers ?? writer.queue, keeper, open))
        }
        if let snapshots { return .snapshot(try SnapshotHold.begin(snapshots, open)) }
        let copy: @Sendable (borrowing Connection) throws -> [UInt8] = { connection in
            let reader = try open(connection)
            defer { reader.close() }
            var bytes: [UInt8] = []
            bytes.reserveCapacity(reader.count)
            while bytes.count < reader.count {
                let piece = try reader.read(
                    bytes.count, reader.count - bytes.count, on: connection)
                guard !piece.isEmpty else { break }
                bytes += piece
            }
            return bytes
        }
        if let bytes = try StoreCall.lent(by: self)?.use(copy) { return .copy(bytes) }
        let call = try StoreCall("chunks", of: self, .reader)
        defer { call.leave() }
        let body = call.running(copy)
        return .copy(
            try await writer.exclusively { connection in try connection.readOnly(body) })
    }
}
