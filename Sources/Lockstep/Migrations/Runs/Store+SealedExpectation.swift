extension Store {
    /// Checks that the file has sealed the columns that the applied versions of the sets declare. Connections
    /// that the store opens later rely on the same columns.
    /// - Throws: ``LockstepError/Code/registryMissing``; ``LockstepError/Code/closed``.
    public func requireSealed(by sets: MigrationSet...) throws {
        let named = try read { connection in
            let history = try Ledger.history(connection)
            var named: [String] = []
            for set in sets {
                try SealedExpectations.require(set, history, connection)
                named += SealedExpectations.of(set, history).filter(\.isNamed).filter {
                    connection.sealed?.keys(named: $0.dataset) != nil
                }.map(\.title)
            }
            return named
        }
        (source.options.connection.addition as? SealedFields)?.proof?.relied = named
    }
}
