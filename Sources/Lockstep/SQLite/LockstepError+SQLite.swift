/// The library, opening a database, and running SQL.
extension LockstepError.Code {
    /// The SQLCipher in this process is missing, too old, or shadowed by plain SQLite.
    public static let libraryUnusable = Self("library-unusable")
    /// The key does not match the file.
    public static let wrongKey = Self("wrong-key")
    /// The file is a plaintext SQLite database.
    public static let plaintextDatabase = Self("plaintext-database")
    /// The file was encrypted by another product.
    public static let otherProduct = Self("other-product")
    /// The file was made by SQLCipher 1, 2 or 3.
    public static let olderSQLCipher = Self("older-sqlcipher")
    /// The file was made by SQLCipher with other settings than those that were given, or with some that cannot be
    /// guessed.
    public static let otherSettings = Self("other-settings")
    /// The file is a copy of a database, which is not changed.
    public static let isCopy = Self("is-copy")
    /// The file is empty.
    public static let emptyDatabase = Self("empty-database")
    /// The file is too short to contain a database.
    public static let truncated = Self("truncated")
    /// The key matches, but pages are damaged.
    public static let damaged = Self("damaged")
    /// SQLite reported an error without a specific code here.
    public static let sqlFailed = Self("sql-failed")
    /// Another connection held its lock longer than the busy timeout.
    public static let busy = Self("busy")
    /// The store was closed.
    public static let closed = Self("closed")
    /// The row of an open blob handle has changed or been deleted.
    public static let blobExpired = Self("blob-expired")
    /// The database file was moved away or replaced while a connection was open.
    public static let replaced = Self("replaced")
    /// A constraint of the schema rejected the row.
    public static let constraint = Self("constraint")
    /// The work exceeded a limit on time or memory that the caller set.
    public static let limitExceeded = Self("limit-exceeded")
    /// The statement was interrupted.
    public static let interrupted = Self("interrupted")
    /// The connection is read-only.
    public static let readOnly = Self("read-only")
    /// The authorizer denied the statement.
    public static let denied = Self("denied")
    /// The number or names of the values do not match the statement's parameters.
    public static let bindMismatch = Self("bind-mismatch")
    /// A column's value does not have the requested type.
    public static let decodeMismatch = Self("decode-mismatch")
}
