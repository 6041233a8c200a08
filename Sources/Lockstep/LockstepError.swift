/// Everything Lockstep throws: what went wrong and where, and what to do next.
///
/// No message or hint ever holds a key, a passphrase or a value of the database. SQL that appears in
/// a message has its literals replaced.
public struct LockstepError: Error, Sendable, Hashable {
    /// What happened, for programs to switch over.
    public let code: Code
    /// What happened and where, for people.
    public let message: String
    /// What to do next, where there is something to do.
    public let hint: String?
    /// SQLite's extended result code, where SQLite reported the failure.
    public let sqliteCode: Int32?

    /// Makes an error; `message` and `hint` must be free of secrets and values.
    public init(_ code: Code, _ message: String, hint: String? = nil, sqliteCode: Int32? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
        self.sqliteCode = sqliteCode
    }

    /// The same error told from further out: `place` is put before the message.
    public func located(_ place: String, hint outerHint: String? = nil) -> LockstepError {
        LockstepError(code, "\(place): \(message)", hint: outerHint ?? hint, sqliteCode: sqliteCode)
    }
}

extension LockstepError: CustomStringConvertible {
    /// The message, then the hint on a line of its own.
    public var description: String {
        guard let hint else { return message }
        return "\(message)\nhint: \(hint)"
    }
}

extension LockstepError {
    /// Every kind of failure, grouped by when it occurs. Raw values are stable: JSON output uses them.
    public enum Code: String, Sendable, CaseIterable {
        // The machine, before anything is opened.
        /// The SQLCipher in this process is missing, too old, or shadowed by plain SQLite.
        case libraryUnusable = "library-unusable"
        /// OpenSSL's secure heap has no room left for another secret.
        case secureMemoryExhausted = "secure-memory-exhausted"
        /// A primitive of OpenSSL failed although its input was valid.
        case cryptographyFailed = "cryptography-failed"

        // Files and folders.
        /// There is no such file or folder.
        case notFound = "not-found"
        /// The operating system refuses access.
        case accessDenied = "access-denied"
        /// The path names a folder, a symbolic link, a device or anything else but a regular file.
        case notAFile = "not-a-file"
        /// A secret file is readable or writable by others, or belongs to someone else.
        case permissionsTooOpen = "permissions-too-open"
        /// The file is there already and would have been overwritten.
        case alreadyExists = "already-exists"
        /// The file is larger than its format allows, or a value than can be read in one piece.
        case tooLarge = "too-large"
        /// Reading, writing or syncing failed.
        case inputOutput = "input-output"
        /// Another process holds the lock.
        case locked = "locked"

        // Keyrings.
        /// The keyring's text breaks the format's rules.
        case keyringMalformed = "keyring-malformed"
        /// The keyring is of a newer format, or asks for something this version refuses.
        case keyringUnsupported = "keyring-unsupported"
        /// The keyring's MAC does not match: it was changed by someone without its ring key.
        case keyringTampered = "keyring-tampered"
        /// No slot opened: wrong passphrase, key file or variable.
        case slotNotOpened = "slot-not-opened"
        /// There is no slot of the kind that was asked for, or nothing to open one with.
        case noUsableSlot = "no-usable-slot"
        /// The keyring serves another purpose or another database or dataset.
        case keyringMismatch = "keyring-mismatch"
        /// The key is not there, destroyed, or in a state that forbids this use.
        case keyUnavailable = "key-unavailable"
        /// A slot, key or state change breaks the keyring's rules.
        case keyringConflict = "keyring-conflict"
        /// The keyring is an older copy than the one that its database has seen.
        case keyringOutdated = "keyring-outdated"
        /// A text is no recipient in age's notation.
        case recipientMalformed = "recipient-malformed"
        /// A file is no identity in age's notation.
        case identityMalformed = "identity-malformed"
        /// A command that gives a secret failed, took too long or gave too much.
        case commandFailed = "command-failed"
        /// The signature of a keyring or manifest is missing, wrong, or another publisher's.
        case signatureInvalid = "signature-invalid"
        /// A passphrase, key file or variable is too short, too long or looks like something else.
        case secretUnsuitable = "secret-unsuitable"

        // Opening a database.
        /// The key does not fit the file.
        case wrongKey = "wrong-key"
        /// The file is a plaintext SQLite database.
        case plaintextDatabase = "plaintext-database"
        /// The file was encrypted by another product.
        case otherProduct = "other-product"
        /// The file is of SQLCipher 1, 2 or 3.
        case olderSQLCipher = "older-sqlcipher"
        /// The file is empty.
        case emptyDatabase = "empty-database"
        /// The file ends too early to hold a database.
        case truncated = "truncated"
        /// The key fits, but pages are damaged.
        case damaged = "damaged"
        /// The database belongs to another program.
        case foreignApplication = "foreign-application"

        // Running SQL.
        /// SQLite reported an error that has no code of its own here.
        case sqlFailed = "sql-failed"
        /// Another connection held its lock for longer than the busy timeout.
        case busy = "busy"
        /// The store was closed.
        case closed = "closed"
        /// The row that a blob handle was opened on has changed or is gone.
        case blobExpired = "blob-expired"
        /// The database file was moved away or replaced under an open connection.
        case replaced = "replaced"
        /// A constraint of the schema refused the row.
        case constraint = "constraint"
        /// The disk, or the page limit, is full.
        case full = "full"
        /// The work was ended by a limit on time or memory that the caller set.
        case limitExceeded = "limit-exceeded"
        /// The statement was interrupted.
        case interrupted = "interrupted"
        /// The connection may only read.
        case readOnly = "read-only"
        /// The authorizer refused the statement.
        case denied = "denied"
        /// The number or names of the values do not fit the statement's parameters.
        case bindMismatch = "bind-mismatch"
        /// A column's value is not of the type asked for.
        case decodeMismatch = "decode-mismatch"
        /// SQL held several statements, or none, where one is due; or a call came out of order.
        case misuse = "misuse"

        // Migrations.
        /// A migration file or folder breaks the layout's rules.
        case migrationMalformed = "migration-malformed"
        /// A statement of a migration failed.
        case migrationFailed = "migration-failed"
        /// An applied migration's file has changed.
        case migrationChanged = "migration-changed"
        /// An applied migration's file is gone.
        case migrationMissing = "migration-missing"
        /// A version was begun and not ended, and stands in the way of what was asked for.
        case migrationUnfinished = "migration-unfinished"
        /// The folder's versions leave a gap.
        case versionGap = "version-gap"
        /// Two files claim the same version.
        case versionDuplicate = "version-duplicate"
        /// A version older than the newest applied one is waiting.
        case outOfOrder = "out-of-order"
        /// A table lost rows and the file does not declare it.
        case rowsLost = "rows-lost"
        /// The migration would leave broken foreign keys.
        case foreignKeysBroken = "foreign-keys-broken"
        /// The migration would leave a table, view or trigger that SQLite cannot use.
        case schemaBroken = "schema-broken"
        /// The version has no way down.
        case irreversible = "irreversible"

        // Safe migrations.
        /// A database that was migrated does not pass verification.
        case verificationFailed = "verification-failed"
        /// A database could not be put back as it was, or must not be, since others have written to it.
        case notRestored = "not-restored"

        // Sealed columns.
        /// What stands in a sealed column is no cell, or none that this version can read.
        case cellMalformed = "cell-malformed"
        /// A cell does not authenticate: it was changed, or belongs elsewhere.
        case cellForged = "cell-forged"
        /// What the database says of its sealed columns was not written by who holds the fields keyring.
        case registryForged = "registry-forged"
        /// The file proves nothing of a dataset, or not that a column is sealed, which others say it holds.
        case registryMissing = "registry-missing"
        /// What the database says of its sealed columns is older than it was seen before.
        case registryOlder = "registry-older"
        /// The file's schema has something in it under which sealed columns cannot be read and written safely.
        case foreignSchema = "foreign-schema"
        /// A manifest's text breaks the format's rules.
        case manifestMalformed = "manifest-malformed"
        /// A release's number does not follow the one before.
        case releaseConflict = "release-conflict"

        // Verification and import.
        /// The database's content cannot be trusted.
        case tampered = "tampered"
        /// Input data breaks its format.
        case malformedInput = "malformed-input"
    }
}
