/// A database keyring's record of a database that it opens.
struct DatabaseRecord: Sendable, Hashable {
    /// The database's id, 16 bytes.
    let database: [UInt8]
    /// The version of the database key with which it was last seen.
    let keyVersion: UInt32

    /// Its line in a keyring.
    var line: String { "file \(Base64.encode(database)) key \(keyVersion)" }

    init(database: [UInt8], keyVersion: UInt32) {
        (self.database, self.keyVersion) = (database, keyVersion)
    }

    /// Parses the line that was last taken from `text`.
    init(_ line: Substring, of text: CanonicalText) throws(LockstepError) {
        let parts = text.fields(line)
        guard parts.count == 4, parts[0] == "file", parts[2] == "key" else {
            throw text.bad("the line of a database is malformed")
        }
        database = try text.base64(parts[1], KeyringDocument.databaseIDLength, "a database's id")
        keyVersion = UInt32(try text.number(parts[3], 1...UInt64(UInt32.max), "a key's version"))
    }
}
