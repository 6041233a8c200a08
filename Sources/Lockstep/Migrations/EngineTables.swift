/// The tables that the engine keeps in a database for itself. Other names that begin with `lockstep_` are
/// refused, so that more of these can come.
enum EngineTables {
    static let names = [
        Ledger.table, MigrationProgress.table, RepeatableLedger.table, "lockstep_keyring",
    ]

    /// The names as SQL lists them, for `IN`.
    static let list = names.map { "'\($0)'" }.joined(separator: ", ")
}
