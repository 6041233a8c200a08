/// Checks whether SQLite can still use every table, view and trigger.
///
/// SQLite accepts `ADD COLUMN … GENERATED ALWAYS AS (no_such_function())`, and then every statement on the table
/// fails. A view whose table was renamed fails as well. Preparing statements on each object finds all such cases.
enum SchemaUsability {
    /// An object that no statement can use.
    struct Failure {
        /// The type and the name.
        let object: ExactText
        let name: SQLName
        let error: LockstepError
    }

    /// The objects that cannot be used, with SQLite's message.
    static func failures(
        of objects: some Sequence<CatalogueEntry>, _ core: ConnectionCore
    ) -> [Failure] {
        var failures: [Failure] = []
        for object in objects where object.canBeProbed {
            if let failure = failure(of: object, core) { failures.append(failure) }
        }
        return failures
    }

    private static func failure(of object: CatalogueEntry, _ core: ConnectionCore) -> Failure? {
        guard let refusal = refusal(of: object, core) else { return nil }
        return Failure(
            object: ExactText(object.title), name: object.name,
            error: LockstepError(
                .schemaBroken, "the \(object.title) cannot be used: \(refusal.message)",
                hint: "fix the definition; SQLite accepts it, but no statement on the object "
                    + "would work",
                context: refusal.context))
    }

    private static func refusal(
        of object: CatalogueEntry, _ core: ConnectionCore
    ) -> LockstepError? {
        let target = "main.\(SQLTokens.quote(object.name.spelling))"
        guard object.kind == .trigger else {
            // Reading compiles only the columns; inserting a row compiles the whole definition.
            if object.kind == .table, !object.mayCompute,
                core.refusal(of: "INSERT INTO \(target) DEFAULT VALUES") == nil
            {
                return nil
            }
            if let refusal = core.refusal(of: "SELECT * FROM \(target)") { return refusal }
            // A default can call a missing function.
            return object.kind == .table ? core.refusal(of: "INSERT INTO \(target) DEFAULT VALUES") : nil
        }
        do {
            return core.refusal(of: try statementThatFires(object, core))
        } catch let error as LockstepError {
            // The view of the trigger cannot be read.
            return error
        } catch {
            return LockstepError(.sqlFailed, "\(error)")
        }
    }

    /// A statement whose preparation compiles the trigger's body.
    private static func statementThatFires(
        _ trigger: CatalogueEntry, _ core: ConnectionCore
    ) throws -> String {
        // The event follows the trigger's name and at most two more words.
        let words = SQLCursor(Array(trigger.sql.utf8), limit: 12).tokens.map(\.word)
        let event = words.first { ["insert", "update", "delete"].contains($0) } ?? "delete"
        let target = "main.\(SQLTokens.quote(trigger.table.spelling))"
        switch event {
        case "insert": return "INSERT INTO \(target) DEFAULT VALUES"
        case "update":
            let columns = try core.ask(
                "SELECT name FROM pragma_table_xinfo(?, 'main') WHERE hidden = 0", trigger.table.spelling
            ) { row in SQLTokens.quote(try row[0] as String) }
            let assignments = columns.map { "\($0) = \($0)" }.joined(separator: ", ")
            return "UPDATE \(target) SET \(assignments)"
        default: return "DELETE FROM \(target)"
        }
    }
}
