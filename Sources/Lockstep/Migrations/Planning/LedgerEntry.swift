// The ledger, in the database it speaks of
// ========================================
//
//   lockstep_migration
//     position         order of application, ascending from 1
//     set, version     which migration; together unique
//     name             what its file calls it
//     checksum_bytes   SHA-256 of the file · checksum_text of its text with LF endings ·
//     checksum_tokens  of its tokens, without spacing and comments
//     down             the SQL that leads back, as the file said it; or NULL
//     applied_at       microseconds since 1970-01-01T00:00:00Z
//     duration         microseconds
//     tool_version     of the Lockstep that applied it
//     mac_dataset, mac_key_version, mac     see below; NULL, or not there, for a version that was applied without
//                      field keys
//
// A row is written in the transaction of the migration it speaks of, so the two cannot disagree: there
// is no state in between that would have to be repaired.
//
// Recorded SQL is data
// --------------------
//
// Anyone who has the database's key can write any of this. So nothing here is an instruction:
//
// - Where there are migration files, a row is compared with its file in every field that the file determines: name,
//   checksums, down. A difference is drift; only one in comments, spacing or line endings is a notice.
// - A version is undone by its file's way down. The text in `down` runs only where the caller asks for it because
//   the file is gone, and then on a connection without field keys.
// - A row that was written on a connection with field keys carries a MAC of one dataset: of those that the connection
//   has keys of, the one whose identifier sorts first. `mac` is HMAC-SHA256 over `ledger/1`, the dataset, the version
//   of its field key, position, set, version, name, the three checksums, down, applied_at, duration and tool_version,
//   in this order, written as ``AuthenticatedMessage`` does. Its key is HKDF-SHA256(field key, salt = dataset, info =
//   `ledger`), the field key being the one that was active. With the keys of that dataset, reading the ledger checks
//   it, and a row that it does not fit is tampering.
//
// What the MAC shows: any change of a row that has one, its place among the others included; a MAC taken from another
// row, another database or another dataset. What it does not: a row that was removed, or that has lost its MAC and
// looks as if it had been applied without keys; a row under a dataset, or a version of its key, that the reader has no
// key of; a row copied whole, with its place, from another database of the same dataset. For all of these the
// comparison with the files holds as it does without keys.

/// A migration that was applied.
public struct LedgerEntry: Sendable, Equatable {
    /// Its set's name.
    public let set: String
    /// Its version.
    public let version: MigrationVersion
    /// What its file called it.
    public let name: String
    let checksums: MigrationChecksums
    let down: String?
    /// When, in microseconds since 1970-01-01T00:00:00Z.
    public let appliedAt: Int64
    /// For how long, in microseconds.
    public let duration: Int64
    /// Which version of Lockstep applied it.
    public let toolVersion: String
    let position: Int64
    /// What authenticates the row, if it was written with field keys.
    var code: LedgerCode?

    /// Whether a way down was recorded.
    public var isReversible: Bool { down != nil }
}
