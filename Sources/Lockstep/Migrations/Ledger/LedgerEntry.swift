// The ledger, in the database that it describes
// =============================================
//
//   lockstep_migration
//     position         order of application, ascending from 1
//     set, version     identify the migration; together unique
//     name             the name in the file name
//     checksum_bytes   SHA-256 of the file · checksum_text of its text with LF endings ·
//     checksum_tokens  of its tokens, without white space and comments
//     down             the SQL of the way down, as in the file; or NULL
//     applied_at       microseconds since 1970-01-01T00:00:00Z
//     duration         microseconds
//     tool_version     of the Lockstep that applied it
//     mac_dataset, mac_key_version, mac     see below; NULL or absent for a version that was applied without
//                      field keys
//
// A row is written in the transaction of the migration that it records, so the two always agree: no intermediate
// state exists that would need repair.
//
// Recorded SQL is data
// --------------------
//
// Anyone who has the database's key can write these rows. Therefore no row is an instruction:
//
// - If the migration files are available, each row is compared with its file in every field that the file determines:
//   name, checksums, down. A difference is drift; a difference only in comments, white space or line endings is a
//   notice.
// - The way down of the version's file undoes a version. The text in `down` runs only if the caller asks for it
//   because the file is gone, and then on a connection without field keys.
// - A row written on a connection with field keys carries a MAC of one dataset: among the datasets whose keys the
//   connection has, the one whose identifier sorts first. `mac` is HMAC-SHA256 over `ledger/1`, the dataset, the
//   version of its field key, position, set, version, name, the three checksums, down, applied_at, duration and
//   tool_version, in this order, encoded by ``AuthenticatedMessage``. Its key is HKDF-SHA256(field key, salt =
//   dataset, info = `ledger`), where the field key is the active one at that time. With the keys of that dataset,
//   reading the ledger checks the MAC, and a row that does not match is tampering.
//
// The MAC detects any change of a row that has one, including its position, and a MAC copied from another row,
// another database or another dataset. It does not detect: a removed row; a row whose MAC was removed, which looks
// like a row applied without keys; a row under a dataset or key version that the reader has no key for; a complete
// row, position included, copied from another database of the same dataset. For all of these, the comparison with
// the files applies as it does without keys.

/// A migration that was applied.
public struct LedgerEntry: Sendable, Equatable {
    /// The name of its set.
    @Exact public private(set) var set: String
    /// Its version.
    public let version: MigrationVersion
    /// The name in its file name.
    @Exact public private(set) var name: String
    package let checksums: MigrationChecksums
    /// The SQL of the way down, as in the file.
    @Exact package private(set) var down: String?
    /// The time of application, in microseconds since 1970-01-01T00:00:00Z.
    public let appliedAt: Int64
    /// The duration in microseconds.
    public let duration: Int64
    /// The version of Lockstep that applied it.
    @Exact public private(set) var toolVersion: String
    /// Its place in the order of application, from 1.
    package let position: Int64
    /// The code that authenticates the row, if it was written with field keys.
    var code: LedgerCode?

    /// A row of the ledger, without a code: `code` is set where there are field keys.
    package init(
        set: String, version: MigrationVersion, name: String, checksums: MigrationChecksums,
        down: String?, appliedAt: Int64, duration: Int64, toolVersion: String, position: Int64
    ) {
        self.init(
            set: set, version: version, name: name, checksums: checksums, down: down, appliedAt: appliedAt,
            duration: duration, toolVersion: toolVersion, position: position, code: nil)
    }

    init(
        set: String, version: MigrationVersion, name: String, checksums: MigrationChecksums, down: String?,
        appliedAt: Int64, duration: Int64, toolVersion: String, position: Int64, code: LedgerCode?
    ) {
        (self.set, self.version, self.name) = (set, version, name)
        (self.checksums, self.down) = (checksums, down)
        (self.appliedAt, self.duration) = (appliedAt, duration)
        (self.toolVersion, self.position, self.code) = (toolVersion, position, code)
    }

    /// Whether a way down was recorded.
    public var isReversible: Bool { down != nil }
}
