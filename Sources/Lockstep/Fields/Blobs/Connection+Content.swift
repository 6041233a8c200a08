extension Connection {
    /// Whether a column is sealed, at least in part.
    /// - Throws: ``LockstepError/Code/keyUnavailable`` if the database says so, but the connection does not have the
    ///   keys.
    package func isSealed(_ column: String, of table: String) throws -> Bool {
        if let (_, open) = sealed?.column(named: column, of: table) {
            return open.column.state != .plaintext
        }
        let isClaimed = try RegistryTables.claimed(self).contains {
            SQLName($0.name) == SQLName(column) && SQLName($0.table) == SQLName(table)
        }
        guard isClaimed else { return false }
        throw LockstepError(
            .keyUnavailable, "\(table).\(column) is sealed",
            hint: "open the database with the fields keyring of its dataset",
            context: .init(table: table, column: column))
    }

    /// A row's value in a column, sealed or not. Valid within the open transaction.
    /// - Throws: ``LockstepError/Code/keyUnavailable``, ``LockstepError/Code/cellForged``;
    ///   ``LockstepError/Code/sqlFailed`` if the value does not exist.
    package func content(of place: BlobPlace) throws -> any PieceReader {
        guard try isSealed(place.column, of: place.table) else {
            return OpenBlob(try Blob(place, .read, on: core))
        }
        return try SealedContent(SealedPlace(place, self), on: self)
    }

    /// Fills a row's BLOB, sealed if the column is sealed: an empty BLOB, or, if the column is not sealed, zeros of the
    /// length of `bytes`.
    /// - Throws: The errors of ``writeSealedBlob(_:count:from:)``.
    package func fill(_ place: BlobPlace, with bytes: [UInt8], isSealed: Bool) throws {
        var rest = bytes[...]
        func next() -> [UInt8]? {
            guard !rest.isEmpty else { return nil }
            defer { rest = rest.dropFirst(64 * 1024) }
            return Array(rest.prefix(64 * 1024))
        }
        guard !isSealed else {
            return try writeSealedBlob(place, count: bytes.count, from: next)
        }
        try withBlob(place, .write) { blob in
            var offset = 0
            while let piece = next() {
                try blob.write(piece, at: offset)
                offset += piece.count
            }
        }
    }
}
