extension VerificationReport.Check {
    /// Every foreign key refers to a valid key.
    public static let references = Self("references") { _ in
        .onConnection(.init(run: ReferencesCheck.run))
    }

    /// SQLite can use every table, view and trigger.
    public static let objects = Self("objects") { _ in
        .onConnection(.init(run: ObjectsCheck.run))
    }
}

/// Every foreign key refers to a valid key of its parent. Otherwise no row could ever be inserted.
enum ReferencesCheck {
    static func run(_ connection: borrowing Connection) throws -> CheckResult {
        let catalogue = try SchemaCatalogue(connection.core)
        var keys = ForeignKeys()
        _ = try keys.update(
            SchemaCatalogue.Difference(added: catalogue.objects), connection.core)
        let broken = keys.broken
        return (
            broken.isEmpty ? "each refers to a valid key" : counted(broken.count, "broken foreign key"),
            broken.sorted().map {
                .failure(
                    "a foreign key has nothing to refer to: \($0); the parent must exist and its "
                        + "columns must be its primary key or unique")
            }
        )
    }
}

extension Connection {
    /// Why SQLite cannot use tables, views and triggers of the database, one sentence for each; see
    /// ``VerificationReport/Check/objects``.
    package func unusableObjects() throws -> [String] { try ObjectsCheck.run(self).findings.map(\.message) }
}

/// SQLite can use every table, view and trigger. It accepts definitions on which every statement fails. What needs a
/// function that another program brings along cannot be checked here, and is reported.
enum ObjectsCheck {
    static func run(_ connection: borrowing Connection) throws -> CheckResult {
        let objects = try SchemaCatalogue(connection.core).objects
        // Statements are compiled and not run: of a collation that is missing no order is needed. An index that a statement
        // before has found without its collation is found again only in a schema that is read again.
        func found(isRepeated: Bool) throws -> [SchemaUsability.Failure] {
            try OwnCollations().lend(to: connection, isRepeated: isRepeated) { connection in
                SchemaUsability.failures(of: objects, connection.core)
            }
        }
        var failures = try found(isRepeated: false)
        if failures.contains(where: { !isOfAnotherProgram($0.error) }) { failures = try found(isRepeated: true) }
        let broken = failures.count { !isOfAnotherProgram($0.error) }
        let summary =
            failures.isEmpty
            ? "every table, view and trigger is usable"
            : broken == 0 ? "\(counted(failures.count, "object")) not checked" : counted(broken, "broken object")
        return (
            summary,
            failures.map { failure in
                isOfAnotherProgram(failure.error)
                    ? .notice("\(failure.error.message): only a program that has it can use the object")
                    : .failure(failure.error.message)
            }
        )
    }

    private static func isOfAnotherProgram(_ error: LockstepError) -> Bool { error.context.missing?.kind == .function }
}
