/// A row's value in a sealed column, in any form.
final class SealedContent: PieceReader {
    /// The number of bytes.
    let count: Int
    /// The handle, if the value is sealed in one piece or not sealed yet.
    private var blob: Blob?
    /// The value, if it was sealed in one piece.
    private let whole: [UInt8]?
    private var chunks: ChunkedCell?

    init(
        _ place: SealedPlace, _ access: Blob.Access = .read, on connection: borrowing Connection
    ) throws {
        let (column, cipher) = (place.column, place.column.cipher)
        let blob = try Blob(place.place, access, on: connection.core)
        let beginning = try blob.read(at: 0, count: min(CellFormat.prefixLength, blob.count))
        let prefix = CellPrefix(beginning.span, length: blob.count)
        guard let prefix, cipher.isOurs(prefix) else {
            guard !column.column.state.holdsCellsAlone else {
                throw cipher.malformed("holds no sealed value", place.binding)
            }
            count = blob.count
            whole = nil
            self.blob = consume blob
            return
        }
        try column.requireSealedAtAll()
        if prefix.format == .chunked {
            let cell = try ChunkedCell.open(blob, prefix, cipher, place.binding)
            count = cell.count
            whole = nil
            chunks = consume cell
        } else {
            let bytes = try Self.open(blob, place)
            count = bytes.count
            whole = bytes
            self.blob = consume blob
        }
    }

    private static func open(_ blob: borrowing Blob, _ place: SealedPlace) throws -> [UInt8] {
        let cell = try blob.read(at: 0, count: blob.count)
        let bytes = try place.column.cipher.open(cell.span, at: place.binding) {
            tag, payload throws(LockstepError) -> [UInt8]? in
            guard tag.fixedLength == nil else { return nil }
            return unsafe payload.withUnsafeBufferPointer { unsafe Array($0) }
        }
        guard let bytes else {
            throw LockstepError(
                .decodeMismatch, "the value of \(place.title) is neither a BLOB nor TEXT",
                hint: "read it through \(DecryptingViews.name(of: place.place.table))", context: place.place.context)
        }
        return bytes
    }

    /// Up to `size` bytes from `offset`, which must not be beyond the end.
    func read(_ offset: Int, _ size: Int) throws -> [UInt8] {
        let size = min(size, count - offset)
        if let piece = try chunks?.read(offset..<(offset + size)) { return piece }
        guard let whole else {
            guard let piece = try blob?.read(at: offset, count: size) else {
                throw ConnectionQueue.closed
            }
            return piece
        }
        try blob?.requireUsable()
        return Array(whole[offset..<(offset + size)])
    }

    func read(_ offset: Int, _ size: Int, on _: borrowing Connection) throws -> [UInt8] {
        try read(offset, size)
    }

    func close() {
        blob = nil
        chunks = nil
    }

    /// Opens every chunk.
    func check() throws { try chunks?.check() }

    /// Reseals chunks under the active key, in the open transaction.
    func reseal() throws { try chunks?.reseal() }
}
