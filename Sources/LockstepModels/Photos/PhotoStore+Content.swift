public import Lockstep
public import SystemPackage

extension PhotoStore {
    // MARK: In

    /// Stores the content of a file as a new photo and returns its key. The file is read piece by piece, in one
    /// transaction: all of it is stored, or nothing.
    /// - Throws: `LockstepError.Code.notFound` and other errors of reading; `LockstepError.Code.malformedInput` if
    ///   it is not an image, and `LockstepError.Code.alreadyExists` if its content is already stored, depending on
    ///   `rules`; `LockstepError.Code.full`; `LockstepError.Code.keyUnavailable` if content is sealed.
    @discardableResult
    public func insert(
        _ name: String, from path: FilePath, rules: PhotoRules = .init(), opening identity: ImportIdentity? = nil
    ) throws -> Int64 {
        try writing { try Self.insert(name, path, identity, rules, partLength, $0) }
    }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    @discardableResult
    public func insert(
        _ name: String, from path: FilePath, rules: PhotoRules = .init(), opening identity: ImportIdentity? = nil
    ) async throws -> Int64 {
        try await writing { [partLength] in
            try Self.insert(name, path, identity, rules, partLength, $0)
        }
    }

    /// Stores content that arrives in pieces as a new photo and returns its key. Its length need not be known. No other
    /// write can run until the pieces end, so have them ready.
    /// - Throws: The same as for a file; the errors of `pieces`; `CancellationError`. Then nothing is
    ///   stored.
    @concurrent
    @discardableResult
    public func insert<Pieces: AsyncSequence & Sendable>(
        _ name: String, from pieces: Pieces, rules: PhotoRules = .init()
    ) async throws -> Int64 where Pieces.Element == [UInt8] {
        try await store.writeStream(from: pieces) { [partLength] connection in
            let writer = try PhotoWriter(name, rules, partLength: partLength, on: connection)
            return (writer.id, writer)
        }
    }

    private static func insert(
        _ name: String, _ path: FilePath, _ identity: ImportIdentity?, _ rules: PhotoRules,
        _ partLength: Int,
        _ connection: borrowing Connection
    ) throws -> Int64 {
        var file = try FilePieces(path, identity)
        let writer = try PhotoWriter(name, rules, partLength: partLength, on: connection)
        while let piece = try file.next() { try writer.append(piece, on: connection) }
        try writer.finish(on: connection)
        return writer.id
    }

    // MARK: Out

    /// Writes a photo's content to a new file: all of it, with its original hash, or nothing. Only its owner can read
    /// the file; **without recipients it is not encrypted**.
    /// - Throws: `LockstepError.Code.notFound`; `LockstepError.Code.alreadyExists` if something exists at `path`;
    ///   `LockstepError.Code.damaged`, `LockstepError.Code.cellForged`, `LockstepError.Code.keyUnavailable`,
    ///   `LockstepError.Code.full`.
    public func write(
        _ id: Int64, to path: FilePath, sealedFor recipients: [Recipient] = []
    ) throws {
        try reading { try Self.write(id, path, recipients, $0) }
    }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    public func write(
        _ id: Int64, to path: FilePath, sealedFor recipients: [Recipient] = []
    ) async throws {
        try await reading { try Self.write(id, path, recipients, $0) }
    }

    private static func write(
        _ id: Int64, _ path: FilePath, _ recipients: [Recipient],
        _ connection: borrowing Connection
    ) throws {
        let reader = try PhotoReader(id, on: connection)
        defer { reader.close() }
        try ExportSealing.write(to: path, for: recipients) { write in
            try reader.forEachPiece(on: connection, write)
        }
    }

    /// A photo's content in pieces, all from one snapshot, with one piece in memory at a time.
    ///
    /// From the first piece to the last, or until the iterator is released, it has a connection of its own, one of
    /// `StoreOptions.streams`: do not keep an unfinished iterator. Calls of the store in between wait for none.
    /// - Throws: The iterator: `LockstepError.Code.notFound`, `LockstepError.Code.damaged`,
    ///   `LockstepError.Code.cellForged`, `LockstepError.Code.keyUnavailable`; `CancellationError`.
    public func chunks(of id: Int64, size: Int = 64 * 1024) -> BlobChunks {
        BlobChunks(store: store, size: max(size, 1)) { connection in
            try PhotoReader(id, on: connection)
        }
    }

    /// A range of a photo's content, at any offset: only the requested bytes are read, of sealed content chunks of 16
    /// KiB.
    /// - Throws: `LockstepError.Code.notFound`; `LockstepError.Code.misuse` beyond the content's end;
    ///   `LockstepError.Code.damaged`, `LockstepError.Code.cellForged`, `LockstepError.Code.keyUnavailable`.
    public func bytes(of id: Int64, in range: Range<Int>) throws -> [UInt8] {
        try reading { try Self.bytes(id, range, $0) }
    }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    public func bytes(of id: Int64, in range: Range<Int>) async throws -> [UInt8] {
        try await reading { try Self.bytes(id, range, $0) }
    }

    private static func bytes(
        _ id: Int64, _ range: Range<Int>, _ connection: borrowing Connection
    ) throws -> [UInt8] {
        let reader = try PhotoReader(id, on: connection)
        defer { reader.close() }
        guard 0...reader.count ~= range.lowerBound, range.upperBound <= reader.count else {
            throw LockstepError(
                .misuse, "bytes \(range.lowerBound) to \(range.upperBound) were requested of \(reader.count)",
                hint: "Photo.byteCount is the number of bytes")
        }
        var bytes: [UInt8] = []
        while bytes.count < range.count {
            bytes += try reader.read(range.lowerBound + bytes.count, range.count - bytes.count, on: connection)
        }
        return bytes
    }
}
