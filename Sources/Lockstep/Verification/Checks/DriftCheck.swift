extension VerificationReport.Check {
    /// The schema matches the migrations.
    public static let drift = Self("drift", failure: .migrationChanged) { job in
        .onConnection(
            .init(isLight: !job.hasOthers) { connection in
                guard let sets = job.verification.sets else {
                    throw NotAsked(reason: "no migrations were given to compare the schema with")
                }
                return try DriftCheck.run(
                    connection, sets, job.verification.schema,
                    shouldContinue: job.coordinator.shouldContinue)
            })
    }
}

/// The schema equals the one that a fresh run of the same migrations makes, object by object.
enum DriftCheck {
    static func run(
        _ connection: borrowing Connection, _ sets: [MigrationSet], _ schema: ConnectionOptions,
        shouldContinue: () -> Bool = { true }
    ) throws -> CheckResult {
        let found = try SchemaSnapshot(connection)
        let differences = try differences(
            of: found, on: connection, sets, schema, shouldContinue: shouldContinue)
        return (
            "\(counted(found.count, "object")) compared with a fresh build",
            differences.map(finding)
        )
    }

    /// The differences of the schema `found` on `connection` from a fresh build of the applied versions.
    static func differences(
        of found: SchemaSnapshot, on connection: borrowing Connection, _ sets: [MigrationSet],
        _ schema: ConnectionOptions, shouldContinue: () -> Bool = { true }
    ) throws -> [SchemaSnapshot.Difference] {
        let history = try Ledger.history(connection)
        let fresh = try ReferenceSchema.build(history, sets, schema, shouldContinue: shouldContinue)
        func differences() throws -> [SchemaSnapshot.Difference] {
            PrismaTable.leftOut(of: found.differences(from: try SchemaSnapshot(fresh)), sets)
        }
        let first = try differences()
        guard try seal(fresh, as: connection, first) else { return first }
        return try differences()
    }

    static func finding(_ difference: SchemaSnapshot.Difference) -> VerificationReport.Finding {
        var finding = VerificationReport.Finding.failure(
            "\(difference.type) \(difference.name) is \(difference.change.rawValue)")
        finding.difference = difference
        return finding
    }

    /// Seals the columns that `lockstep seal` sealed outside the migrations: the objects that sealing adds are
    /// known, and anything else is still a difference. Returns whether there are such columns.
    private static func seal(
        _ fresh: borrowing Connection, as connection: borrowing Connection,
        _ differences: [SchemaSnapshot.Difference]
    ) throws -> Bool {
        let unexpected = Set(differences.filter { $0.change == .unexpected }.map(\.name))
        var hasAny = false
        for column in try RegistryTables.claimed(connection)
        where column.state.sealsValues {
            let guards = try SealingGuard.all(of: column.name, column.table, connection)
            guard guards.contains(where: { unexpected.contains($0.name) }) else { continue }
            let change = SealingChange(
                table: column.table, column: column.name,
                goal: .protect(
                    mode: column.mode, padding: column.padding,
                    indexes: column.indexes.map(\.request)))
            try fresh.with(rights: .engine) { try change.changeShape(fresh) }
            hasAny = true
        }
        return hasAny
    }
}
