extension ColumnCipher {
    /// The cipher for a column of a registry.
    package convenience init(
        of column: SealedColumn, _ keys: FieldKeys, _ tools: SealingTools
    ) throws(LockstepError) {
        try self.init(
            column: column.id, identity: column.identity, opensNumbered: column.state == .resealing,
            keys, tools, mode: column.mode, padding: column.padding, context: column.context)
    }
}
