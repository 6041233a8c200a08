extension Connection {
    /// Looks at all values of record types' columns whose types are read from several forms, such as UUIDs, dates as
    /// text and decimal numbers, and reports at once:
    ///
    /// - columns with values in another form than the one that is written: conditions find them by what is read from
    ///   them, which takes longer, and `-- lockstep: normalise T.C as uuid` in a migration brings them to one form;
    /// - columns with values that are not read at all.
    ///
    /// This reads all rows, and opens the cells of such columns that are sealed: it is for a test or a job, while
    /// ``check(_:)`` is for the program's start.
    /// - Throws: ``LockstepError/Code/recordMisfit`` if a column has such values; the errors of ``check(_:)``.
    public func checkValues(_ records: any Record.Type...) throws { try checkValues(all: records) }

    /// The same for a list of types.
    /// - Throws: The errors of ``checkValues(_:)``.
    public func checkValues(all records: [any Record.Type]) throws {
        var problems: [String] = []
        var directives: [String] = []
        var context: LockstepError.Context?
        for record in records {
            for (column, form, counts) in try counts(record) {
                let title = "\(record.table).\(column)"
                if counts.other > 0 {
                    problems.append(
                        "\(title) stores \(counted(counts.other, "value")) in another form than the one that is written"
                    )
                    if let directive = form.directive {
                        directives.append("`-- lockstep: normalise \(title) as \(directive)`")
                    }
                }
                if counts.unread > 0 {
                    problems.append("\(title) has \(counted(counts.unread, "value")) that \(record) does not read")
                }
                if counts.other + counts.unread > 0 {
                    context = context ?? .init(table: record.table, column: column)
                }
            }
        }
        guard let context else { return }
        let hint =
            directives.isEmpty
            ? "correct them by SQL" : "in a migration, bring them to one form: \(directives.joined(separator: ", "))"
        throw LockstepError(.recordMisfit, problems.joined(separator: "; "), hint: hint, context: context)
    }

    private func counts<R: Record>(
        _ type: R.Type
    ) throws -> [(column: String, form: StoredForm, counts: (other: Int, unread: Int))] {
        let source = try recordSource(type)
        return try source.forms.all.compactMap { name, form in
            guard let column = source.columns[name.spelling]?.name else { return nil }
            let (quoted, read) = (SQLTokens.quote(column), form.read(SQLTokens.quote(column)))
            let counts = try first(
                """
                SELECT count(CASE WHEN \(verbatim: quoted) <> \(verbatim: read) THEN 1 END),
                    count(\(verbatim: quoted)) - count(\(verbatim: read))
                FROM \(verbatim: source.name)
                """
            ) { row in (other: try row[0] as Int, unread: try row[1] as Int) }
            return (column, form, counts ?? (0, 0))
        }
    }
}

extension Store {
    /// Looks at all values of record types' columns: see ``Connection/checkValues(_:)``.
    /// - Throws: The errors of ``Connection/checkValues(_:)`` and of a read.
    public func checkValues(_ records: any Record.Type...) async throws {
        try await read { db in try db.checkValues(all: records) }
    }
}
