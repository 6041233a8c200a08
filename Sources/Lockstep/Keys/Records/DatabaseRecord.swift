import SystemPackage

/// A database keyring's record of a database that it opens.
struct DatabaseRecord: Sendable, Hashable {
    /// The database's id, 16 bytes.
    let database: [UInt8]
    /// The version of the database key with which it was last seen.
    let keyVersion: UInt32
    /// The epoch of the keyring that the database is known to have recorded; 0 if none is known.
    var seen: UInt64 = 0
    /// Where the database was last seen, relative to the keyring's folder or absolute; nil if that is not known. See
    /// ``KeyringFile/place(of:)``.
    var path: FilePath?
    /// The database that this one was forked from.
    var origin: [UInt8]?

    init(database: [UInt8], keyVersion: UInt32, seen: UInt64 = 0, path: FilePath? = nil, origin: [UInt8]? = nil) {
        (self.database, self.keyVersion, self.seen) = (database, keyVersion, seen)
        (self.path, self.origin) = (path, origin)
    }

    /// Its line in a keyring of a format.
    func line(_ format: KeyringDocument.Format) -> String {
        let beginning = "file \(Base64.encode(database)) key \(keyVersion)"
        guard format == .third else { return beginning }
        return "\(beginning) seen \(seen) at \(path.map(PercentEncodedPath.encode) ?? "-")"
            + (origin.map { " from \(Base64.encode($0))" } ?? "")
    }

    /// Parses the line that was last taken from `text`.
    init(
        _ line: Substring, of text: CanonicalText, _ format: KeyringDocument.Format
    ) throws(LockstepError) {
        let parts = text.fields(line)
        let counts = format == .third ? [8, 10] : [4]
        guard counts.contains(parts.count), parts[0] == "file", parts[2] == "key" else {
            throw text.bad("the line of a database is malformed")
        }
        database = try text.base64(parts[1], KeyringDocument.databaseIDLength, "a database's id")
        keyVersion = UInt32(try text.number(parts[3], 1...UInt64(UInt32.max), "a key's version"))
        guard format == .third else { return }
        guard parts[4] == "seen", parts[6] == "at", parts.count == 8 || parts[8] == "from" else {
            throw text.bad("the line of a database is malformed")
        }
        seen = try text.number(parts[5], 0...KeyringDocument.maximumEpoch, "the epoch seen")
        if parts[7] != "-" {
            guard let path = PercentEncodedPath.decode(parts[7]) else {
                throw text.bad("a database's path is malformed")
            }
            self.path = path
        }
        guard parts.count == 10 else { return }
        origin = try text.base64(parts[9], KeyringDocument.databaseIDLength, "an origin's id")
    }
}
