import ArgumentParser
import Lockstep

/// The columns to change and the one dataset that they belong to.
struct SealedColumnOptions: ParsableArguments {
    @Argument(help: "The columns, as table.column.")
    var columns: [ColumnName]

    @OptionGroup var access: AccessOptions
    @OptionGroup var waiting: WaitOptions

    @Option(help: "How many rows to change in one transaction.")
    var batch: Int = SealingChange.defaultBatch

    func validate() throws {
        guard access.fields.datasets.count == 1 else {
            throw ValidationError("name the one dataset that the columns belong to: --fields NAME")
        }
        guard batch > 0 else { throw ValidationError("--batch must be at least 1") }
    }

    /// Changes the columns one after the other. The next run continues an interrupted one.
    /// - Parameters:
    ///   - canBeFirst: Whether these columns can be the dataset's first sealed columns in any database.
    ///   - isFirst: Whether the user says that they are the dataset's first sealed columns in this database.
    func change(_ done: String, _ goal: SealingGoal, canBeFirst: Bool = false, isFirst: Bool = false) throws {
        let session = try access.session()
        Interruption.expect()
        try session.whileFieldsUsed {
            try change(session, done, goal, canBeFirst: canBeFirst, isFirst: isFirst)
        }
    }

    private func change(
        _ session: borrowing Session, _ done: String, _ goal: SealingGoal, canBeFirst: Bool, isFirst: Bool
    ) throws {
        guard let keys = session.fields.first else { return }
        let connection = try session.connect(
            canBeFirst: canBeFirst, isFirst: isFirst)
        defer { session.rememberSealed(connection) }
        var line = ProgressLine()
        defer { line.end() }
        for column in columns {
            let title = "\(column.table).\(column.column)"
            var rows = 0
            if case .protect(mode: .deterministic, _, _) = goal,
                let summary = try DeterministicExposure.summary(of: column.column, in: column.table, connection)
            {
                Output.note("notice: \(summary)")
            }
            let change = SealingChange(table: column.table, column: column.column, goal: goal, batch: batch)
            try change.run(on: connection, keys: keys) { progress in
                // From the first rows on, so that the next command knows the database after a kill.
                if rows == 0 { session.rememberSealed(connection) }
                rows = progress.done
                line.show("\(title): \(rows) of \(counted(progress.total ?? 0, "row"))")
                try Interruption.check()
            }
            line.end()
            Output.line("\(done) \(title): \(counted(rows, "row"))")
        }
    }
}

/// A column, as named on the command line.
struct ColumnName: ExpressibleByArgument {
    let table: String
    let column: String

    init?(argument: String) {
        let parts = argument.pieces(between: ".")
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
        (table, column) = (String(parts[0]), String(parts[1]))
    }
}
