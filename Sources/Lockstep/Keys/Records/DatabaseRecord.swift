/// A database that a database keyring opens, as the keyring lists it.
struct DatabaseRecord: Sendable, Hashable {
    /// The database's id, 16 bytes.
    let database: [UInt8]
    /// The version of the database key that it was last seen under.
    let keyVersion: UInt32

    /// Its line in a keyring.
    var line: String { "file \(Base64.encode(database)) key \(keyVersion)" }

    init(database: [UInt8], keyVersion: UInt32) {
        (self.database, self.keyVersion) = (database, keyVersion)
    }

    /// Reads the line that was taken last from `text`.
    init(_ line: Substring, of text: CanonicalText) throws(LockstepError) {
        let parts = text.fields(line)
        guard parts.count == 4, parts[0] == "file", parts[2] == "key" else {
            throw text.bad("the line of a database is malformed")
        }
        database = try text.base64(parts[1], KeyringDocument.databaseIDLength, "a database's id")
        keyVersion = UInt32(try text.number(parts[3], 1...UInt64(UInt32.max), "a key's version"))
    }
}
