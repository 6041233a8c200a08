/// The columns of a record's table whose values are read from several forms, such as UUIDs in either case, and what one
/// connection knows of each: whether all its values have the form that is written.
///
/// Where they do, SQL compares them as they are. Nothing keeps another program from writing other forms, so this holds
/// only in the state of the database in which all values were looked at, and only inside a transaction, which sees one
/// state. Where it is not known, conditions compare what is read, which is right for every form, and takes longer.
///
/// A look at all values is worth it only where many conditions are asked of the same state. So it waits for them: it
/// looks at 16 values for each condition that has been asked, and the first that reaches the end of the table learns.
final class FormedColumns {
    struct Column {
        let form: StoredForm
        /// Whether an index begins with it.
        let isIndexed: Bool
    }

    /// What is known of a column in one state.
    private struct Knowledge {
        let state: SeenState
        var isOneForm = false
        var asked = 0
        var nextLook = 32
    }

    private let columns: [SQLName: Column]
    private var known: [SQLName: Knowledge] = [:]
    /// The table as SQL; nil if its state has no number: of views, and of tables that are not of the main file.
    private let table: String?
    /// How many values a look takes in for each condition that was asked.
    private static let valuesForOne = 16
    /// Compares values as they are stored, as a control of tests.
    @TaskLocal static var isOff = false

    init<R: Record>(
        of type: R.Type, _ columns: RecordColumns, _ name: String, isView: Bool, _ connection: borrowing Connection
    ) throws {
        var forms: [SQLName: StoredForm] = [:]
        for property in RecordProperties.of(type).all {
            guard let kind = property.type.form, let name = property.column, !Self.isOff else {
                continue
            }
            forms[SQLName(name)] = StoredForm(kind, dates: type.dates(for: name), uuids: type.uuids(for: name))
        }
        guard !forms.isEmpty else {
            (self.columns, table) = ([:], nil)
            return
        }
        let (indexed, isMain) = try connection.with(rights: .engine) {
            let indexed = try connection.query(
                """
                SELECT x.name FROM pragma_index_list(?1) AS l, pragma_index_xinfo(l.name) AS x
                WHERE x.seqno = 0 AND x.name IS NOT NULL AND x.coll = 'BINARY' AND NOT l.partial
                """, R.table
            ) { row in SQLName(try row[0] as String) }
            let schemas = try connection.query(
                "SELECT schema FROM pragma_table_list(?)", R.table
            ) { row in try row[0] as String }
            return (Set(indexed), schemas == ["main"])
        }
        table = columns.isTable && isMain ? "main.\(SQLTokens.quote(R.table))" : nil
        self.columns = .init(
            uniqueKeysWithValues: forms.map { name, form in
                (name, Column(form: form, isIndexed: indexed.contains(name)))
            })
    }

    var isEmpty: Bool { columns.isEmpty }

    subscript(_ column: String) -> Column? {
        columns.isEmpty ? nil : columns[SQLName(column)]
    }

    /// The columns and their forms.
    var all: [(name: SQLName, form: StoredForm)] {
        columns.map { ($0.key, $0.value.form) }.sorted { $0.name < $1.name }
    }

    /// SQL for a sealed column, which refuses a value that no blind index finds by what is read from it.
    func strictly(_ column: String, _ table: String) -> String? {
        guard let form = self[column]?.form else { return nil }
        let name = SQLTokens.quote(column)
        let title = "\(table).\(column)".replacing("'", with: "''")
        return "lockstep_as_written(\(name), '\(title)', '\(form.identifier)') AS \(name)"
    }

    // MARK: One form

    /// Whether all values of a column are known to have the form that is written.
    /// - Parameter isWorthLook: Whether the call reads all rows otherwise, so that a look at all values is worth it.
    func isOneForm(
        _ column: String, isWorthLook: Bool = false, _ connection: borrowing Connection
    ) throws -> Bool {
        let name = SQLName(column)
        guard let table, let form = columns[name]?.form, let state = connection.core.seenState else { return false }
        var knowledge = known[name] ?? Knowledge(state: state)
        if knowledge.state == state {
            if knowledge.isOneForm { return true }
        } else {
            knowledge = Knowledge(state: state)
        }
        knowledge.asked += 1
        let isWorthLook = isWorthLook && knowledge.nextLook < .max
        if !state.mayBeUndone, isWorthLook || knowledge.asked >= knowledge.nextLook {
            let most = isWorthLook ? Int.max : knowledge.asked * Self.valuesForOne
            let quoted = SQLTokens.quote(column)
            let counts = try connection.with(rights: .engine) {
                try connection.first(
                    """
                    SELECT count(*), count(CASE WHEN x IS NOT \(verbatim: form.read("x")) THEN 1 END)
                    FROM (SELECT \(verbatim: quoted) AS x FROM \(verbatim: table) LIMIT \(most))
                    """
                ) { row in (all: try row[0] as Int, other: try row[1] as Int) }
            }
            if let counts, counts.other > 0 {
                knowledge.nextLook = .max
            } else if let counts, counts.all < most {
                knowledge.isOneForm = true
            } else {
                knowledge.nextLook = knowledge.asked * 2
            }
        }
        known[name] = knowledge
        return knowledge.isOneForm
    }
}
