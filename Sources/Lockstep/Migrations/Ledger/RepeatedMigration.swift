// Repeatable migrations: the table lockstep_repeatable
// ====================================================
//
// A file that runs after all versions whenever it has changed: views, triggers, reference data.
//
//   set, name        identify the file; together unique
//   checksum_bytes, checksum_text, checksum_tokens     of the file as it last ran
//   applied_at, duration, tool_version                 as in the ledger

/// A repeatable migration as it last ran.
public struct RepeatedMigration: Sendable, Equatable {
    /// The name of its set.
    @Exact public private(set) var set: String
    /// Its name, which identifies it in place of a version.
    @Exact public private(set) var name: String
    /// The time of its last run, in microseconds since 1970-01-01T00:00:00Z.
    public let appliedAt: Int64
    package let checksums: MigrationChecksums

    package init(set: String, name: String, appliedAt: Int64, checksums: MigrationChecksums) {
        (self.set, self.name) = (set, name)
        (self.appliedAt, self.checksums) = (appliedAt, checksums)
    }
}
