import Lockstep

/// The tables or views through which a connection reads and writes photos: some columns can be sealed.
struct PhotoTables {
    /// For everything but the content.
    let details: SQL
    /// For new rows.
    let rows: SQL
    let isContentSealed: Bool
    private let arePartsSealed: Bool

    static let photos = "photos"
    static let parts = "photo_part"
    static let content = "photo"
    static let bytes = "bytes"

    /// - Throws: `LockstepError.Code.keyUnavailable` if a column is sealed and the connection has no keys for it.
    init(_ connection: borrowing Connection) throws {
        let open: SQL = "photos_open"
        let hasSealedDetails = try Self.hasSealedDetails(connection)
        isContentSealed = try connection.isSealed(Self.content, of: Self.photos)
        arePartsSealed = try connection.isSealed(Self.bytes, of: Self.parts)
        details = hasSealedDetails ? open : "photos"
        rows = hasSealedDetails || isContentSealed ? open : "photos"
    }

    /// The table or view for lists, which do not depend on the content.
    static func details(_ connection: borrowing Connection) throws -> SQL {
        try hasSealedDetails(connection) ? "photos_open" : "photos"
    }

    private static func hasSealedDetails(_ connection: borrowing Connection) throws -> Bool {
        for column in ["name", "mediaType", "byteCount"]
        where try connection.isSealed(column, of: photos) { return true }
        return false
    }

    /// Content must not be sealed in one table and unsealed in the other.
    func requireSameForParts() throws(LockstepError) {
        guard isContentSealed != arePartsSealed else { return }
        let (one, other) = isContentSealed ? ("photos.photo", "photo_part.bytes") : ("photo_part.bytes", "photos.photo")
        throw LockstepError(
            .misuse, "\(one) is sealed and \(other) is not, so a long photo is refused",
            hint: "seal both, as PhotoStore.seal(keys:) does")
    }

    // MARK: Photos

    static func all(_ connection: borrowing Connection) throws -> [Photo] {
        let statement = try connection.prepare("SELECT \(Photo.columns) FROM \(try details(connection)) ORDER BY id")
        return try statement.map { row in try Photo(row: row) }
    }

    static func photo(_ id: Int64, _ connection: borrowing Connection) throws -> Photo? {
        let statement = try connection.prepare("SELECT \(Photo.columns) FROM \(try details(connection)) WHERE id = ?")
        return try statement.first(id) { row in try Photo(row: row) }
    }

    /// The photos whose content has this hash.
    static func photos(
        of sha256: [UInt8], _ connection: borrowing Connection
    ) throws -> [Photo] {
        let statement = try connection.prepare(
            "SELECT \(Photo.columns) FROM \(try details(connection)) WHERE sha256 = ? ORDER BY id"
        )
        return try statement.map(sha256) { row in try Photo(row: row) }
    }

    /// The photos that share their content with others, equal ones together.
    static func duplicates(_ connection: borrowing Connection) throws -> [[Photo]] {
        let statement = try connection.prepare(
            """
            SELECT \(Photo.columns) FROM \(try details(connection)) WHERE sha256 IN
                (SELECT sha256 FROM photos GROUP BY sha256 HAVING count(*) > 1)
            ORDER BY sha256, id
            """)
        var groups: [[Photo]] = []
        try statement.forEach { row in
            let photo = try Photo(row: row)
            if let last = groups.indices.last, groups[last][0].sha256 == photo.sha256 {
                groups[last].append(photo)
            } else {
                groups.append([photo])
            }
        }
        return groups.sorted { $0[0].id < $1[0].id }
    }

    static func rename(
        _ id: Int64, _ name: String, _ connection: borrowing Connection
    ) throws -> Bool {
        // Changes made through a view are not counted.
        guard try photo(id, connection) != nil else { return false }
        try connection.execute(
            "UPDATE \(details(connection)) SET name = \(name) WHERE id = \(id)")
        return true
    }

    static func delete(_ id: Int64, _ connection: borrowing Connection) throws -> Bool {
        try connection.execute("DELETE FROM photos WHERE id = ?", id)
        return connection.changes == 1
    }

    static func count(_ connection: borrowing Connection) throws -> Int {
        try connection.value("SELECT count(*) FROM photos") ?? 0
    }
}
