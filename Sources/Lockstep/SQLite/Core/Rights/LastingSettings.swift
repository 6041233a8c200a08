/// The settings that SQL changes by PRAGMA, and that stay in force on the connection.
enum LastingSettings {
    /// Those that have a value to read.
    ///
    /// Not among them: settings that are in the file, where a change is meant to stay; and those that SQL cannot change
    /// on a store's connection.
    static let readable: [SQLName] = [
        "analysis_limit", "automatic_index", "cache_size", "cache_spill", "checkpoint_fullfsync", "count_changes",
        "foreign_keys", "full_column_names", "fullfsync", "ignore_check_constraints", "journal_size_limit",
        "legacy_alter_table", "max_page_count", "read_uncommitted", "recursive_triggers", "reverse_unordered_selects",
        "secure_delete", "short_column_names", "synchronous", "threads",
    ]
    /// All of them: a pragma of this name that has an argument changes one.
    static let all = Set(readable).union(["busy_timeout", "case_sensitive_like"])
}
