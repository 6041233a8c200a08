extension Connection {
    /// The columns that the datasets of this connection's field keys seal, in the order of their tables and names.
    /// Among them are columns that are being sealed or unsealed; see ``SealedColumn/State``.
    ///
    /// Columns of other datasets are not listed: without their keys nothing proves that the file's list is right. In a
    /// transaction this is the state that the transaction reads; outside of one it takes a short read transaction.
    /// - Throws: ``LockstepError/Code/registryForged``, ``LockstepError/Code/registryMissing`` or
    ///   ``LockstepError/Code/registryOlder`` if the registry changed since the last transaction and does not
    ///   authenticate; ``LockstepError/Code/busy``.
    public var sealedColumns: [SealedColumn] {
        get throws {
            try read { connection in
                let columns = (connection.sealed?.named ?? []).map(\.column.column)
                return columns.filter { $0.state != .plaintext }
                    .sorted { ($0.table, $0.name) < ($1.table, $1.name) }
            }
        }
    }
}
