/// Migrations.
extension LockstepError.Code {
    /// The database belongs to another program.
    public static let foreignApplication = Self("foreign-application")
    /// A migration file or folder violates the layout's rules.
    public static let migrationMalformed = Self("migration-malformed")
    /// A statement of a migration failed.
    public static let migrationFailed = Self("migration-failed")
    /// An applied migration's file has changed.
    public static let migrationChanged = Self("migration-changed")
    /// An applied migration's file is missing.
    public static let migrationMissing = Self("migration-missing")
    /// An unfinished version prevents the requested operation.
    public static let migrationUnfinished = Self("migration-unfinished")
    /// The folder's versions have a gap.
    public static let versionGap = Self("version-gap")
    /// Two files claim the same version.
    public static let versionDuplicate = Self("version-duplicate")
    /// A version older than the newest applied one is not applied yet.
    public static let outOfOrder = Self("out-of-order")
    /// A table lost rows, and the migration file does not declare that.
    public static let rowsLost = Self("rows-lost")
    /// A notice: how many rows a statement has changed, where the migration file asks for it.
    public static let rowsReported = Self("rows-reported")
    /// A migration drops a column with values, or copies them to a column that changes them, and its file does not
    /// declare that.
    public static let valuesLost = Self("values-lost")
    /// The migration would leave broken foreign keys.
    public static let foreignKeysBroken = Self("foreign-keys-broken")
    /// The migration would leave a table, view or trigger that SQLite cannot use.
    public static let schemaBroken = Self("schema-broken")
    /// The version cannot be reversed.
    public static let irreversible = Self("irreversible")
}
