internal import CSQLCipher

/// A BLOB or TEXT that a closure reads or writes in pieces. Its size is fixed: to fill one in pieces, insert
/// the row with ``ZeroBytes`` first.
@safe
public struct Blob: ~Copyable {
    /// The operations that a handle allows.
    public enum Access: Sendable {
        /// Read.
        case read
        /// Read and write. Needs a write transaction.
        case write
    }

    /// The size in bytes.
    public let count: Int
    private let handle: OpaquePointer
    private let core: ConnectionCore
    let place: BlobPlace
    init(
        _ place: BlobPlace, _ access: Access, on core: ConnectionCore
    ) throws(LockstepError) {
        let name = SQLName(place.table)
        if access == .write, name.hasPrefix(SQLName(EngineTables.prefix)) || name.hasPrefix("sqlite_") {
            throw LockstepError(
                .denied, "cannot write to \(name.folded): its rows belong to the engine",
                hint: "only read from it", context: .init(table: place.table))
        }
        guard access == .read || core.isInTransaction else {
            throw LockstepError(
                .misuse, "cannot write a blob outside a transaction",
                hint: "open it inside Store.write(_:) or Connection.write(_:)")
        }
        try core.requireTransactionGoesOn("\(place.table).\(place.column)")
        var opened: OpaquePointer?
        let code = unsafe sqlite3_blob_open(
            core.database, "main", place.table, place.column, place.row, access == .write ? 1 : 0, &opened)
        guard code == SQLITE_OK, let handle = unsafe opened else {
            throw core.error(code).located(
                "cannot open \(place.table).\(place.column)",
                hint: "the table, the column and the row must exist, and hold a BLOB or TEXT", context: place.context)
        }
        unsafe self.handle = unsafe handle
        self.core = core
        self.place = place
        count = unsafe Int(sqlite3_blob_bytes(handle))
        core.usedTables?.insert(name)
        if access == .write { core.tracker.note(place.row, of: name) }
    }

    deinit { unsafe sqlite3_blob_close(handle) }

    // MARK: Pieces

    /// Returns `count` bytes, starting at `offset`.
    /// - Throws: ``LockstepError/Code/misuse`` beyond the end; ``LockstepError/Code/blobExpired`` if the
    ///   row has been changed or deleted since the handle was opened.
    public func read(at offset: Int, count: Int) throws -> [UInt8] {
        try requireInside(offset, count)
        try core.relieveCache(from: offset, count)
        // Without a capacity it is Swift's one empty array, which every thread would write its length to.
        return unsafe try [UInt8](unsafeUninitializedCapacity: max(count, 1)) { buffer, filled in
            try check(
                unsafe sqlite3_blob_read(
                    handle, buffer.baseAddress, Int32(count), Int32(offset)))
            filled = count
        }
    }

    /// Fills `bytes`, starting at `offset`.
    func read(into bytes: inout MutableSpan<UInt8>, at offset: Int) throws(LockstepError) {
        try requireInside(offset, bytes.count)
        try core.relieveCache(from: offset, bytes.count)
        let code = unsafe bytes.withUnsafeMutableBytes {
            unsafe sqlite3_blob_read(handle, $0.baseAddress, Int32($0.count), Int32(offset))
        }
        try check(code)
    }

    /// Reads nothing, but fails if a read would fail.
    func requireUsable() throws(LockstepError) {
        try requireInside(0, 0)
        try check(unsafe sqlite3_blob_read(handle, nil, 0, 0))
    }

    /// Overwrites the bytes that start at `offset`.
    /// - Throws: as ``read(at:count:)``; ``LockstepError/Code/readOnly``; ``LockstepError/Code/full``.
    public func write(_ bytes: [UInt8], at offset: Int) throws(LockstepError) {
        try write(bytes.span, at: offset)
    }

    func write(_ bytes: Span<UInt8>, at offset: Int) throws(LockstepError) {
        try requireInside(offset, bytes.count)
        core.blobWrites &+= 1
        let code = unsafe bytes.withUnsafeBytes {
            unsafe sqlite3_blob_write(handle, $0.baseAddress, Int32($0.count), Int32(offset))
        }
        try check(code)
        try core.relieveCache(from: offset, bytes.count)
    }

    /// Passes all bytes to `body`, in pieces of up to `size` bytes.
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

    private func requireInside(_ offset: Int, _ length: Int) throws(LockstepError) {
        guard core.owner.isHere, !core.owner.isCancelled else {
            throw LockstepError(.interrupted, "the use of the blob was cancelled")
        }
        try core.requireTime()
        try Self.requireInside(offset, length, count)
    }

    /// Fails unless a blob of `count` bytes has `length` bytes at `offset`.
    static func requireInside(
        _ offset: Int, _ length: Int, _ count: Int
    ) throws(LockstepError) {
        guard offset >= 0, length >= 0, offset <= count, length <= count - offset else {
            throw LockstepError(
                .misuse, "bytes \(offset) to \(offset &+ length) are outside the blob's \(count) bytes",
                hint: "a blob's size is fixed when its row is written")
        }
    }

    private func check(_ code: Int32) throws(LockstepError) {
        guard code != SQLITE_OK else { return }
        guard code & 0xFF != SQLITE_ABORT else {
            throw LockstepError(
                .blobExpired, "the row of \(place.table).\(place.column) has changed or is gone",
                hint: "open the blob again", context: place.context)
        }
        throw core.error(code).located("\(place.table).\(place.column)", context: place.context)
    }
}

extension ConnectionCore {
    /// Empties the page cache after every 4 MiB of a value: a large value would evict everything else, and fill
    /// the cache with pages that are needed once.
    fileprivate func relieveCache(from offset: Int, _ count: Int) throws(LockstepError) {
        let limit = 4 * 1024 * 1024
        guard offset / limit != (offset + count) / limit else { return }
        // Written pages must reach the log first.
        let code = unsafe sqlite3_db_cacheflush(database)
        guard code == SQLITE_OK else { throw error(code) }
        unsafe sqlite3_db_release_memory(database)
    }
}

extension Connection {
    /// Passes `body` a handle on a BLOB or TEXT. Outside a transaction, a read holds a snapshot until `body`
    /// returns, and a write runs in its own transaction.
    /// - Throws: ``LockstepError/Code/sqlFailed`` if the value does not exist; what `body` throws.
    public func withBlob<Result>(
        _ place: BlobPlace, _ access: Blob.Access = .read,
        _ body: (borrowing Blob) throws -> Result
    ) throws -> Result {
        // Closing a handle outside a transaction would be a commit whose failure is lost.
        guard access == .read || isInTransaction else {
            return try write { connection in try connection.withBlob(place, access, body) }
        }
        let blob = try Blob(place, access, on: core)
        let result = try body(blob)
        // The handle keeps the snapshot open until here.
        if access == .read { try core.readCheck.requireSound(core) }
        return result
    }
}
