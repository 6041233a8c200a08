extension Connection {
    /// Whether values of a column are sealed, or may be.
    /// - Throws: ``LockstepError/Code/keyUnavailable`` if the database says so, and the connection has not got the keys.
    package func isSealed(_ column: String, of table: String) throws -> Bool {
        if let (_, open) = sealed?.column(named: column, of: table) {
            return open.column.state != .plaintext
        }
        let isClaimed = try RegistryTables.claimed(self).contains {
            $0.name == column && $0.table == table
        }
        guard isClaimed else { return false }
        throw LockstepError(
            .keyUnavailable, "\(table).\(column) is sealed",
            hint: "open the database with the fields keyring of its dataset")
    }

    /// What a row has in a column, whether that is sealed or not. Valid within the transaction that is open.
    /// - Throws: ``LockstepError/Code/keyUnavailable``, ``LockstepError/Code/cellForged``;
    ///   ``LockstepError/Code/sqlFailed`` if there is no such value.
    package func content(of place: BlobPlace) throws -> any PieceReader {
        guard try isSealed(place.column, of: place.table) else {
            return OpenBlob(try Blob(place, .read, on: core))
        }
        return try SealedContent(SealedPlace(place, self), on: self)
    }

    /// Fills a row's BLOB, sealed where the column is: an empty one, or zeros where it is not, of `bytes`' number.
    /// - Throws: as ``writeSealedBlob(_:count:from:)``.
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
