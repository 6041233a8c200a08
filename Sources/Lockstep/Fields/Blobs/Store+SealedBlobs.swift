extension Store {
    /// The bytes of a sealed BLOB or TEXT in pieces, all from one snapshot; each piece has authenticated before it is
    /// returned. It occupies a reader as ``chunks(of:size:)`` describes.
    ///
    /// The store must have been opened with the column's keys among ``ConnectionOptions/fieldKeys``.
    public func sealedChunks(of place: BlobPlace, size: Int = 64 * 1024) -> BlobChunks {
        BlobChunks(store: self, size: max(size, 1)) { connection in
            try SealedContent(SealedPlace(place, connection), on: connection)
        }
    }

    /// Writes a sealed BLOB whose bytes come in pieces, in one transaction: the asynchronous form of
    /// ``Connection/writeSealedBlob(_:count:from:)``.
    /// - Parameters:
    ///   - table: The table, which must have rowids.
    ///   - column: The sealed column.
    ///   - count: The number of bytes in all.
    ///   - chunks: The bytes. No other write can run until they end, so have them ready.
    ///   - row: Inserts the row with NULL in the column, or finds an existing row, and returns its rowid.
    /// - Throws: The errors of `chunks`, of `row` and of the synchronous form. The database then stays as it was.
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
