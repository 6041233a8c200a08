extension LockstepError {
    /// Whether a file cannot be made beside the database.
    var isOfPlace: Bool { [.full, .accessDenied, .readOnly].contains(code) }

    /// The declaration under which a statement that failed can succeed; nil if the script has it, or there is none.
    func preventable(in script: MigrationScript) -> Directive? {
        if !script.editsSchema, message.contains("writable_schema") { return .allowSchemaEdits }
        // 787 is SQLITE_CONSTRAINT_FOREIGNKEY.
        let isAboutKeys = sqliteCode == 787 || message.contains("foreign_keys")
        return isAboutKeys && !script.needsForeignKeysOff ? .foreignKeysOff : nil
    }
}
