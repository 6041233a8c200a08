import Lockstep

/// Writes a new photo's content piece by piece, in the open transaction, with one part in memory.
final class PhotoWriter: PieceWriter {
    let id: Int64
    private let name: String
    private let rules: PhotoRules
    private let partLength: Int
    private let tables: PhotoTables
    private var digest: StreamingDigest?
    private var beginning: [UInt8] = []
    /// Bytes that are not in the database yet.
    private var waiting: [UInt8] = []
    /// The number of bytes that are.
    private var written = 0

    init(
        _ name: String, _ rules: PhotoRules, partLength: Int, on connection: borrowing Connection
    ) throws {
        self.name = name
        self.rules = rules
        self.partLength = partLength
        // The number that SQLite would choose: cells are bound to it, so it must be known before the insert.
        let last = try connection.value("SELECT max(id) FROM photos", as: Int64?.self) ?? nil
        guard last != .max else {
            throw LockstepError(.full, "the photos have taken every key", hint: "use another file")
        }
        id = (last ?? 0) + 1
        tables = try PhotoTables(connection)
        digest = try StreamingDigest(.sha256)
    }

    func append(_ bytes: [UInt8], on connection: borrowing Connection) throws {
        try connection.requireTime()
        try digest?.update(bytes)
        if beginning.count < MediaType.decisive {
            beginning += bytes.prefix(MediaType.decisive - beginning.count)
            // There is no point in reading the rest.
            if beginning.count == MediaType.decisive { try requireImage() }
        }
        var rest = bytes[...]
        while !rest.isEmpty {
            // Only the end of the content shows which part is the last.
            if waiting.count == partLength { try writePart(isLast: false, connection) }
            let share = rest.prefix(partLength - waiting.count)
            waiting += share
            rest = rest.dropFirst(share.count)
        }
    }

    func finish(on connection: borrowing Connection) throws {
        try requireImage()
        guard let sha256 = try digest.take()?.finish() else {
            throw LockstepError(.misuse, "a photo's content ended twice")
        }
        if rules.refusesKnownContent, let known = try Self.known(sha256, connection) {
            throw LockstepError(
                .alreadyExists, "its content is already stored as photo \(known)", hint: "nothing has changed")
        }
        let mediaType = MediaType.of(beginning)
        if written == 0 {
            try insertRow(mediaType, sha256, content: waiting.count, connection)
            let place = BlobPlace(table: PhotoTables.photos, column: PhotoTables.content, row: id)
            try connection.fill(place, with: waiting, isSealed: tables.isContentSealed)
        } else {
            try writePart(isLast: true, connection)
            try connection.execute(
                """
                UPDATE \(tables.details) SET mediaType = \(mediaType), byteCount = \(written),
                sha256 = \(sha256) WHERE id = \(id)
                """)
        }
        close()
    }

    func close() {
        waiting = []
        digest = nil
    }

    private func requireImage() throws(LockstepError) {
        guard !rules.allowsAnyContent, MediaType.of(beginning) == MediaType.unknown else { return }
        throw LockstepError(
            .malformedInput, "it is not an image of a known kind: JPEG, PNG, GIF, WebP, HEIC",
            hint: "allow any content, or convert it first")
    }

    private static func known(
        _ sha256: [UInt8], _ connection: borrowing Connection
    ) throws -> Int64? {
        try connection.value("SELECT min(id) FROM photos WHERE sha256 = ?", sha256, as: Int64?.self) ?? nil
    }

    private func insertRow(
        _ mediaType: String, _ sha256: [UInt8], content count: Int, _ connection: borrowing Connection
    ) throws {
        let content: Value? = tables.isContentSealed ? .blob([]) : nil
        try connection.execute(
            """
            INSERT INTO \(tables.rows) (id, name, mediaType, byteCount, sha256, photo)
            VALUES (?, ?, ?, ?, ?, coalesce(?, ?))
            """, id, name, mediaType, count, sha256, content, ZeroBytes(count))
    }

    private func writePart(isLast: Bool, _ connection: borrowing Connection) throws {
        try tables.requireSameForParts()
        if written == 0 {
            // The values that are not known yet are set at the end.
            try insertRow(MediaType.unknown, [UInt8](repeating: 0, count: 32), content: 0, connection)
        }
        let room = tables.isContentSealed ? nil : ZeroBytes(waiting.count)
        try connection.execute(
            "INSERT INTO photo_part (photo, start, isLast, bytes) VALUES (?, ?, ?, ?)", id, written, isLast, room)
        let place = BlobPlace(table: PhotoTables.parts, column: PhotoTables.bytes, row: connection.lastInsertedRowID)
        try connection.fill(place, with: waiting, isSealed: tables.isContentSealed)
        written += waiting.count
        waiting.removeAll(keepingCapacity: true)
    }
}
