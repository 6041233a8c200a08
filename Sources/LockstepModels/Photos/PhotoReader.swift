import Lockstep

/// Reads a photo's content at any offset, in the open transaction: stored in one value or in parts, sealed or not.
final class PhotoReader: PieceReader {
    let count: Int
    let sha256: [UInt8]
    private let id: Int64
    /// The values that contain the content, in order.
    private let parts: [(start: Int, place: BlobPlace)]
    private var current: (number: Int, reader: any PieceReader)?

    /// - Throws: `LockstepError.Code.notFound`; `LockstepError.Code.damaged` if a part is missing.
    init(_ id: Int64, on connection: borrowing Connection) throws {
        guard let photo = try PhotoTables.photo(id, connection) else {
            throw LockstepError(.notFound, "there is no photo with the id \(id)", hint: "list the photos")
        }
        self.id = id
        count = photo.byteCount
        sha256 = photo.sha256
        let rows = try connection.query(
            "SELECT start, isLast, rowid FROM photo_part WHERE photo = ? ORDER BY start", id,
            as: (Int, Bool, Int64).self)
        guard !rows.isEmpty else {
            let place = BlobPlace(table: PhotoTables.photos, column: PhotoTables.content, row: id)
            parts = [(0, place)]
            return
        }
        let lasts = rows.map(\.1)
        guard rows[0].0 == 0, lasts.last == true, !lasts.dropLast().contains(true) else {
            throw Self.incomplete(id)
        }
        parts = rows.map {
            ($0.0, BlobPlace(table: PhotoTables.parts, column: PhotoTables.bytes, row: $0.2))
        }
    }

    func read(_ offset: Int, _ size: Int, on connection: borrowing Connection) throws -> [UInt8] {
        guard let number = parts.lastIndex(where: { $0.start <= offset }) else { return [] }
        let reader = try open(number, connection)
        let inside = offset - parts[number].start
        let bytes = try reader.read(inside, min(size, reader.count - inside), on: connection)
        guard !bytes.isEmpty || size == 0 || offset >= count else { throw Self.incomplete(id) }
        return bytes
    }

    /// Passes all bytes to `body`.
    /// - Throws: `LockstepError.Code.damaged` at the end, if their hash differs; the errors of `body`.
    func forEachPiece(
        on connection: borrowing Connection, _ body: ([UInt8]) throws -> Void
    ) throws {
        let digest = try StreamingDigest(.sha256)
        var offset = 0
        repeat {
            let piece = try read(offset, 64 * 1024, on: connection)
            try digest.update(piece)
            try body(piece)
            offset += piece.count
        } while offset < count
        guard try digest.finish() == sha256 else {
            throw LockstepError(
                .damaged, "the content of photo \(id) does not match its hash",
                advice: "run \(.verify), or restore it from a backup")
        }
    }

    func close() {
        current?.reader.close()
        current = nil
    }

    private func open(
        _ number: Int, _ connection: borrowing Connection
    ) throws -> any PieceReader {
        if let current, current.number == number { return current.reader }
        close()
        let reader = try connection.content(of: parts[number].place)
        let end = number + 1 < parts.count ? parts[number + 1].start : count
        guard reader.count == end - parts[number].start else {
            reader.close()
            throw Self.incomplete(id)
        }
        current = (number, reader)
        return reader
    }

    private static func incomplete(_ id: Int64) -> LockstepError {
        LockstepError(
            .damaged, "a part of photo \(id) is missing",
            hint: "restore it from a backup")
    }
}
