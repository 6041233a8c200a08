/// A sealed BLOB or TEXT, lent to a closure for reading from any position.
///
/// For a value written by ``Connection/writeSealedBlob(_:count:from:)``, and for any BLOB over 1 MiB, only the
/// requested chunks of 16 KiB are read and opened. No byte is returned before its chunk has authenticated, and opening
/// verifies that no chunk is missing at the end. A shorter value is opened as a whole.
public struct SealedBlob: ~Copyable {
    let content: SealedContent

    init(_ place: BlobPlace, on connection: borrowing Connection) throws {
        content = try SealedContent(SealedPlace(place, connection), on: connection)
    }

    /// The size in bytes.
    public var count: Int { content.count }

    /// The `count` bytes from `offset`.
    /// - Throws: ``LockstepError/Code/misuse`` beyond the end; ``LockstepError/Code/cellForged``;
    ///   ``LockstepError/Code/blobExpired`` if the row has been changed or deleted since it was opened.
    public func read(at offset: Int, count: Int) throws -> [UInt8] {
        try Blob.requireInside(offset, count, self.count)
        return try content.read(offset, count)
    }

    /// Lends all bytes to `body`, in pieces of up to `size` bytes.
    /// - Throws: The errors of ``read(at:count:)`` and of `body`.
    public func forEachChunk(
        of size: Int = 64 * 1024, _ body: ([UInt8]) throws -> Void
    ) throws {
        var offset = 0
        while offset < count {
            let piece = try read(at: offset, count: min(max(size, 1), count - offset))
            offset += piece.count
            try body(piece)
        }
    }
}

extension Connection {
    /// Lends `body` a handle on a sealed BLOB or TEXT. Outside a transaction, the read keeps a snapshot open meanwhile.
    ///
    /// The connection must have been opened with the column's keys among its ``ConnectionOptions/fieldKeys``; the table
    /// must have rowids.
    /// - Throws: ``LockstepError/Code/keyUnavailable``, ``LockstepError/Code/cellForged``,
    ///   ``LockstepError/Code/cellMalformed``; ``LockstepError/Code/sqlFailed`` if the value does not exist; the errors
    ///   of `body`.
    public func withSealedBlob<Result>(
        _ place: BlobPlace, _ body: (borrowing SealedBlob) throws -> Result
    ) throws -> Result {
        try read { connection in
            let blob = try SealedBlob(place, on: connection)
            let result = try body(blob)
            // The handle keeps the snapshot open until this point.
            try connection.core.readCheck.requireSound(connection.core)
            return result
        }
    }

    /// Replaces a row's value in a sealed column with a BLOB of `count` bytes, which come in pieces. Only one chunk of
    /// 16 KiB is in memory at a time, provided that the table's columns after this one are NULL: SQLite keeps a row in
    /// one piece, and allocates memory for a large value if others follow it.
    ///
    /// If anything fails, the row stays as it was. Inside an open transaction, the write is a savepoint.
    /// - Parameters:
    ///   - place: The table, the column and the rowid.
    ///   - count: The number of bytes.
    ///   - next: Returns the next bytes, and nil at the end. It must return `count` bytes in all.
    /// - Throws: ``LockstepError/Code/misuse`` for another number of bytes, or for a column that is not
    ///   ``SealingMode/random`` or has a blind index; ``LockstepError/Code/sqlFailed`` if the row does not exist;
    ///   ``LockstepError/Code/keyUnavailable``, ``LockstepError/Code/full``; the errors of `next`.
    public func writeSealedBlob(
        _ place: BlobPlace, count: Int, from next: () throws -> [UInt8]?
    ) throws {
        try write { connection in
            let writer = try SealedBlobWriter(place, count: count, on: connection)
            while let piece = try next() { try writer.append(piece) }
            try writer.finish()
        }
    }
}
