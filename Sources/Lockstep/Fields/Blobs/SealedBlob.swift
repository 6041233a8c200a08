/// The bytes of a sealed BLOB or TEXT, to be read from anywhere, on loan to a closure.
///
/// Of what ``Connection/writeSealedBlob(_:count:from:)`` wrote, and of any BLOB over 1 MiB, only the chunks of 16 KiB
/// that are asked for are read and opened, and no byte leaves before its chunk has authenticated; that none is missing
/// at the end is made sure of first. A shorter value is opened as a whole.
public struct SealedBlob: ~Copyable {
    let content: SealedContent

    init(_ place: BlobPlace, on connection: borrowing Connection) throws {
        content = try SealedContent(SealedPlace(place, connection), on: connection)
    }

    /// The size in bytes.
    public var count: Int { content.count }

    /// The `count` bytes from `offset` on.
    /// - Throws: ``LockstepError/Code/misuse`` beyond the end; ``LockstepError/Code/cellForged``;
    ///   ``LockstepError/Code/blobExpired`` if the row has been changed or deleted since it was opened.
    public func read(at offset: Int, count: Int) throws -> [UInt8] {
        guard offset >= 0, count >= 0, offset <= self.count, count <= self.count - offset else {
            throw LockstepError(
                .misuse, "bytes \(offset) to \(offset &+ count) of \(self.count) were asked for",
                hint: "a blob's size is fixed when it is written")
        }
        return try content.read(offset, count)
    }

    /// Lends all bytes to `body`, in pieces of up to `size` bytes.
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
    /// Lends `body` a handle on a sealed BLOB or TEXT. Outside a transaction, reading keeps a snapshot open meanwhile.
    ///
    /// The connection must have been opened with the column's keys among its ``ConnectionOptions/fieldKeys``; the table
    /// must have rowids.
    /// - Throws: ``LockstepError/Code/keyUnavailable``, ``LockstepError/Code/cellForged``,
    ///   ``LockstepError/Code/cellMalformed``; ``LockstepError/Code/sqlFailed`` if there is no such value; what `body`
    ///   throws.
    public func withSealedBlob<Result>(
        _ place: BlobPlace, _ body: (borrowing SealedBlob) throws -> Result
    ) throws -> Result {
        try read { connection in
            let blob = try SealedBlob(place, on: connection)
            let result = try body(blob)
            // The handle keeps the snapshot open until here.
            try connection.core.readCheck.requireSound(connection.core)
            return result
        }
    }

    /// Puts a BLOB of `count` bytes, which come in pieces, in the place of what the row has in a sealed column. As much
    /// of it is in memory as one chunk of 16 KiB, wherever the columns behind it in the table are NULL: SQLite keeps a
    /// row in one piece, and makes room for a large value in memory if others follow.
    ///
    /// If anything fails, the row is as it was. Inside an open transaction this is a savepoint of that one.
    /// - Parameter next: The next bytes; nil at the end. They must be `count` in all.
    /// - Throws: ``LockstepError/Code/misuse`` for another number of bytes, or a column that is not
    ///   ``SealedColumn/Mode/random`` or has a blind index; ``LockstepError/Code/sqlFailed`` if there is no such row;
    ///   ``LockstepError/Code/keyUnavailable``, ``LockstepError/Code/full``; what `next` throws.
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
