/// The settings of a connection that programs can change by PRAGMA, and that stay in force on it.
struct ConnectionPragmas {
    /// Not among them: settings that are in the file, where a change is meant to stay; and those that SQL cannot change on a
    /// store's connection.
    private static let names = [
        "analysis_limit", "automatic_index", "cache_size", "cache_spill", "checkpoint_fullfsync",
        "count_changes", "foreign_keys", "full_column_names", "fullfsync",
        "ignore_check_constraints", "journal_size_limit", "legacy_alter_table", "max_page_count",
        "read_uncommitted", "recursive_triggers", "reverse_unordered_selects", "secure_delete",
        "short_column_names", "synchronous", "threads",
    ]

    private let values: [(name: String, value: Int64)]
    private let busyTimeout: Int32
    /// The one setting that has no value to read.
    private let isLikeCaseSensitive: Bool

    /// The current settings.
    init(of connection: borrowing Connection) throws {
        busyTimeout = connection.authorizer.busyTimeout
        (values, isLikeCaseSensitive) = try connection.with(rights: .engine) {
            let values = try Self.names.compactMap { name in
                try connection.value("PRAGMA \(verbatim: name)", as: Int64.self).map { (name, $0) }
            }
            return (values, try connection.value("SELECT 'a' LIKE 'A'", as: Bool.self) == false)
        }
    }

    /// Puts back those that have changed since.
    func putBack(on connection: borrowing Connection) throws {
        let now = try ConnectionPragmas(of: connection)
        if now.busyTimeout != busyTimeout { connection.setBusyTimeout(busyTimeout) }
        try connection.with(rights: .engine) {
            if now.isLikeCaseSensitive != isLikeCaseSensitive {
                try connection.execute(
                    "PRAGMA \(verbatim: "case_sensitive_like = \(isLikeCaseSensitive ? 1 : 0)")")
            }
            for (name, value) in values
            // exact: names of the source
            where now.values.first(where: { $0.name == name })?.value != value {
                // 2 is read, but FAST is written.
                let text = name == "secure_delete" && value == 2 ? "FAST" : "\(value)"
                try connection.execute("PRAGMA \(verbatim: "\(name) = \(text)")")
            }
        }
    }
}
