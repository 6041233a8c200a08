/// The engine's tables in a database, next to the program's. SQL in programs and migrations can only read them:
/// every name that begins with ``prefix`` is reserved for the engine.
enum EngineTables {
    static let prefix = "lockstep_"

    /// The applied migrations.
    static let ledger = "lockstep_migration"
    /// The lowest accepted epochs of keyrings.
    static let epochs = "lockstep_keyring"
    /// The progress of versions that take several transactions.
    static let progress = "lockstep_progress"
    /// The repeatable migrations that have run.
    static let repeatables = "lockstep_repeatable"
    /// The versions whose records were replaced by those of edited files.
    static let repairs = "lockstep_repair"

    /// The datasets with sealed columns.
    static let datasets = "lockstep_dataset"
    /// Their columns.
    static let columns = "lockstep_column"
    /// Their blind indexes.
    static let indexes = "lockstep_index"
    /// The fingerprints of their keys.
    static let fieldKeys = "lockstep_field_key"

    /// The manifests of their releases.
    static let manifests = "lockstep_manifest"

    /// The prefix of the triggers that protect sealed columns.
    static let guardPrefix = "lockstep_sealed_"

    static let names = [
        ledger, epochs, progress, repeatables, repairs, datasets, columns, indexes, fieldKeys, manifests,
    ]

    /// For SQL that excludes these tables from a program's schema: `name NOT IN (\(verbatim: quotedNames))`.
    static let quotedNames = names.map { "'\($0)'" }.joined(separator: ", ")

    /// The prefix of the name that a table has while a migration rebuilds it.
    static let rebuildPrefix = "lockstep_rebuild_"

    /// Whether a name is reserved for the engine.
    static func isReserved(_ name: SQLName) -> Bool { name.hasPrefix(SQLName(prefix)) }
}
