extension Store {
    /// The bytes of a sealed BLOB or TEXT in pieces, all of one snapshot, each of which has authenticated before it
    /// comes. What ``chunks(of:size:)`` says of the reader that it takes is true here.
    ///
    /// The store must have been opened with the column's keys among ``ConnectionOptions/fieldKeys``.
    public func sealedChunks(of place: BlobPlace, size: Int = 64 * 1024) -> BlobChunks {
        BlobChunks(store: self, size: max(size, 1)) { connection in
            try SealedContent(SealedPlace(place, connection), on: connection)
        }
    }

    /// Writes a sealed BLOB whose bytes come in pieces, in one transaction; see
    /// ``Connection/writeSealedBlob(_:count:from:)``, of which this is the asynchronous form.
    /// - Parameters:
    ///   - table: The table, which must have rowids.
    ///   - column: The column that is sealed.
    ///   - count: How many bytes will come.
    ///   - chunks: The bytes. Until they end no other write can run: have them at hand.
    ///   - row: Inserts the row with NULL in the column, or finds one, and gives its rowid.
    /// - Throws: What `chunks` and `row` throw, and what the other form throws. Then everything is as it was.
    @concurrent
    @discardableResult
    public func writeSealedBlob<Chunks: AsyncSequence & Sendable>(
        into table: String, _ column: String, count: Int, from chunks: Chunks,
        row: @Sendable (borrowing Connection) throws -> Int64
    ) async throws -> Int64 where Chunks.Element == [UInt8] {
        try await writeStream(from: chunks) { connection in
            let place = BlobPlace(table: table, column: column, row: try row(connection))
            return (place.row, try SealedBlobWriter(place, count: count, on: connection))
        }
    }
}
