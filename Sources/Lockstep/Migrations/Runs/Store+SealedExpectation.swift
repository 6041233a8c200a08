extension Store {
    /// Checks that the file has sealed the columns that the applied versions of the sets declare. Connections
    /// that the store opens later rely on the same columns.
    /// - Throws: ``LockstepError/Code/registryMissing``; ``LockstepError/Code/closed``; `CancellationError`.
    public func requireSealed(by sets: MigrationSet...) async throws {
        rely(on: try await read { connection in try Self.requireSealed(by: sets, connection) })
    }

    /// The columns of `sets` that are sealed with keys that the connection has.
    static func requireSealed(
        by sets: [MigrationSet], _ connection: borrowing Connection
    ) throws -> [String] {
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

    func rely(on columns: [String]) {
        (source.options.connection.addition as? SealedFields)?.proof?.relied = columns
    }
}

extension Store.Blocking {
    /// Checks what the sets seal on this thread: see ``Store/requireSealed(by:)``.
    /// - Throws: ``LockstepError/Code/registryMissing``; ``LockstepError/Code/closed``.
    @available(*, noasync, message: "this blocks the thread: use `try await store.requireSealed`")
    public func requireSealed(by sets: MigrationSet...) throws {
        store.rely(on: try read { connection in try Store.requireSealed(by: sets, connection) })
    }
}
