import SystemPackage

/// A database keyring's record of a database that it opens.
struct DatabaseRecord: Sendable, Hashable {
    /// The database's id, 16 bytes.
    let database: [UInt8]
    /// The version of the database key with which it was last seen.
    var keyVersion: UInt32
    /// The first bytes of its file, which has a key of its own; nil for a file that shares its key with others.
    var salt: [UInt8]?
    /// The epoch of the keyring that the database is known to have recorded; 0 if none is known.
    var seen: UInt64 = 0
    /// Where the database was last seen, relative to the keyring's folder or absolute; nil if that is not known. See
    /// ``KeyringFile/place(of:)``.
    var path: FilePath?
    /// The database that this one was forked from.
    var origin: [UInt8]?

    init(
        database: [UInt8], keyVersion: UInt32, salt: [UInt8]? = nil, seen: UInt64 = 0, path: FilePath? = nil,
        origin: [UInt8]? = nil
    ) {
        (self.database, self.keyVersion, self.salt) = (database, keyVersion, salt)
        (self.seen, self.path, self.origin) = (seen, path, origin)
    }

    /// Its line in a keyring.
    var line: String {
        "file \(Base64.encode(database)) key \(keyVersion)" + (salt.map { " own \(Base64.encode($0))" } ?? "")
            + " seen \(seen) at \(path.map(PercentEncodedPath.encode) ?? "-")"
            + (origin.map { " from \(Base64.encode($0))" } ?? "")
    }

    /// Parses the line that was last taken from `text`.
    init(_ line: Substring, of text: CanonicalText) throws(LockstepError) {
        var parts = text.fields(line)[...]
        guard parts.count >= 8, parts[0] == "file", parts[2] == "key" else { throw Self.malformed(text) }
        database = try text.base64(parts[1], KeyringDocument.databaseIDLength, "a database's id")
        keyVersion = UInt32(try text.number(parts[3], 1...UInt64(UInt32.max), "a key's version"))
        parts = parts.dropFirst(4)
        if parts.first == "own" {
            salt = try text.base64(parts[parts.startIndex + 1], DatabaseKey.saltLength, "a file's salt")
            parts = parts.dropFirst(2)
        }
        let rest = Array(parts)
        guard [4, 6].contains(rest.count), rest[0] == "seen", rest[2] == "at", rest.count == 4 || rest[4] == "from"
        else { throw Self.malformed(text) }
        seen = try text.number(rest[1], 0...KeyringDocument.maximumEpoch, "the epoch seen")
        if rest[3] != "-" {
            guard let path = PercentEncodedPath.decode(rest[3]) else {
                throw text.bad("a database's path is malformed")
            }
            self.path = path
        }
        guard rest.count == 6 else { return }
        origin = try text.base64(rest[5], KeyringDocument.databaseIDLength, "an origin's id")
    }

    private static func malformed(_ text: CanonicalText) -> LockstepError {
        text.bad("the line of a database is malformed")
    }
}
