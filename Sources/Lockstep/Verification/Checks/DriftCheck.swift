extension VerificationReport.Check {
    /// The schema matches the migrations.
    public static let drift = Self("drift", failure: .migrationChanged) { job in
        .onConnection(
            .init(isLight: !job.hasOthers) { connection in
                guard let sets = job.verification.sets else {
                    throw NotAsked(reason: "no migrations were given to compare the schema with")
                }
                return try DriftCheck.run(
                    connection, sets, job.verification.schema, shouldContinue: job.coordinator.shouldContinue)
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
        let differences = try differences(of: found, on: connection, sets, schema, shouldContinue: shouldContinue)
        return ("\(counted(found.count, "object")) compared with a fresh build", differences.map(finding))
    }

    /// The differences of the schema `found` on `connection` from a fresh build of the applied versions.
    static func differences(
        of found: SchemaSnapshot, on connection: borrowing Connection, _ sets: [MigrationSet],
        _ schema: ConnectionOptions, as history: MigrationHistory? = nil, shouldContinue: () -> Bool = { true }
    ) throws -> [SchemaSnapshot.Difference] {
        let history = try history ?? Ledger.history(connection)
        let fresh = try ReferenceSchema.build(history, sets, schema, shouldContinue: shouldContinue)
        func differences() throws -> [SchemaSnapshot.Difference] {
            found.differences(from: try SchemaSnapshot(fresh)).without(tablesOf: sets)
        }
        var all = try differences()
        if try seal(fresh, as: connection, all) { all = try differences() }
        let unfinished = try unfinishedObjects(connection)
        return all.filter { difference in
            !unfinished.contains { $0.change == difference.change && $0.name == ExactText(difference.name) }
        }
    }

    private typealias Unfinished = (name: ExactText, change: SchemaSnapshot.Change)

    /// What a column has or does not have yet while it is sealed or unsealed, also after a kill: the check of the registry
    /// says that this goes on.
    private static func unfinishedObjects(_ connection: borrowing Connection) throws -> [Unfinished] {
        try RegistryTables.claimed(connection).flatMap { column -> [Unfinished] in
            let guards = try SealingGuard.all(of: column.name, column.table, connection)
            switch column.state {
            case .migrating:
                guard let base = guards.first?.base else { return [] }
                return column.indexes.map { index in
                    (ExactText("\(base)_\(SealedIndexColumns.ending(index.request))"), .missing)
                }
            case .unsealing:
                return guards.filter { $0.kind == .unsealing }.flatMap { known -> [Unfinished] in
                    let others = SealingGuard.Kind.allCases.filter { $0 != .unsealing }
                    return [(ExactText(known.name), .unexpected)]
                        + others.map { (ExactText("\(known.base)_\($0.rawValue)"), .missing) }
                }
            default: return []
            }
        }
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
        _ fresh: borrowing Connection, as connection: borrowing Connection, _ differences: [SchemaSnapshot.Difference]
    ) throws -> Bool {
        let unexpected = Set(differences.filter { $0.change == .unexpected }.map { ExactText($0.name) })
        var hasAny = false
        for column in try RegistryTables.claimed(connection)
        where column.state.sealsValues || column.state == .unsealing {
            let guards = try SealingGuard.all(of: column.name, column.table, connection)
            guard guards.contains(where: { unexpected.contains(ExactText($0.name)) }) else {
                continue
            }
            try fresh.with(rights: .engine) {
                try Self.renaming(column, as: guards[0].base, fresh) { table, name in
                    try SealingChange(
                        table: table, column: name,
                        goal: .protect(
                            mode: column.mode, padding: column.padding, indexes: column.indexes.map(\.request))
                    ).changeShape(fresh)
                }
            }
            hasAny = true
        }
        return hasAny
    }

    /// Runs `body` while a column, or its table, has the name that it had when it was sealed: guards, indexes and
    /// columns of tokens keep that name.
    private static func renaming(
        _ column: SealedColumn, as base: String, _ fresh: borrowing Connection,
        _ body: (_ table: String, _ column: String) throws -> Void
    ) throws {
        let names = base.rest(after: EngineTables.guardPrefix) ?? ""
        let (inTable, ofColumn) = ("\(column.table)_", "_\(column.name)")
        let table = SQLTokens.quote(column.table)
        func rename(_ what: String, back: String, _ table: String, _ name: String) throws {
            try fresh.execute(SQL(verbatim: what))
            try body(table, name)
            try fresh.execute(SQL(verbatim: back))
        }
        let own = inTable + column.name
        // A number follows where the name was taken.
        let isNumbered = names.rest(after: own + "_").map { $0.utf8.allSatisfy(\.isASCIIDigit) } == true
        if names.hasSameBytes(as: own) || isNumbered {
            try body(column.table, column.name)
        } else if let old = names.rest(after: inTable).map(String.init) {
            let (now, then) = (SQLTokens.quote(column.name), SQLTokens.quote(old))
            try rename(
                "ALTER TABLE main.\(table) RENAME COLUMN \(now) TO \(then)",
                back: "ALTER TABLE main.\(table) RENAME COLUMN \(then) TO \(now)",
                column.table, old)
        } else if let old = names.rest(before: ofColumn).map(String.init) {
            let then = SQLTokens.quote(old)
            try rename(
                "ALTER TABLE main.\(table) RENAME TO \(then)",
                back: "ALTER TABLE main.\(then) RENAME TO \(table)", old, column.name)
        } else {
            // Both have other names since, and where the one ended and the other began is not known.
            try body(column.table, column.name)
        }
    }
}
