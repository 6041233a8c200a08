/// What one connection knows of the table of a record's shape: its statements.
final class RecordTable {
    /// What a statement does.
    enum Verb: Int, CaseIterable {
        case insert, insertReturning, update, upsert, upsertReturning, delete, select
    }

    /// A statement, and the properties that it expects.
    struct Form {
        let key: StatementKey
        let slots: [RowSink.Slot]
    }

    let shape: RecordShape
    /// The name under which rows are read and written, as SQL.
    let name: String
    /// Whether that is the readable view of a table with sealed columns, which has no RETURNING and no ON CONFLICT.
    let isView: Bool
    /// The name under which SQL finds the number of a row; nil if rows have none.
    let rowIDColumn: String?
    /// What can change a row after a statement has returned it with RETURNING.
    let effects: RowEffects
    private let generated: Set<SQLName>
    private var forms = [Form?](repeating: nil, count: Verb.allCases.count)

    init(_ shape: RecordShape, _ connection: borrowing Connection) throws {
        self.shape = shape
        name = try connection.readable(shape.table).text
        isView = !name.hasSameBytes(as: SQLTokens.quote(shape.table))
        let columns = try RecordColumns(of: shape.type, connection)
        let strangers = shape.names.filter { columns[$0] == nil }
        guard strangers.isEmpty else {
            throw LockstepError(
                .recordMisfit,
                "\(shape.type) does not fit table \(shape.table): it has no column for "
                    + strangers.joined(separator: ", "),
                hint: columns.list,
                context: .init(table: shape.table, missing: .init(.column, strangers[0])))
        }
        generated = Set(columns.all.filter(\.isGenerated).map { SQLName($0.name) })
        if isView,
            case .row(let column) = try connection.with(
                rights: .engine, { try SealedTable(shape.table, connection) })?.key
        {
            rowIDColumn = column.name
        } else {
            rowIDColumn = isView ? nil : columns.numberName
        }
        effects = isView || !columns.isTable ? .none : try RowEffects(of: shape.table, connection)
    }

    /// Whether RETURNING gives the row as it is stored at the end of a statement.
    func returnsStored(_ verb: Verb) -> Bool {
        switch verb {
        case .insertReturning: !isView && !effects.ofInsert
        case .upsertReturning: !isView && !effects.ofUpsert
        case .insert, .update, .upsert, .delete, .select: false
        }
    }

    // MARK: Statements

    func form(_ verb: Verb) throws(LockstepError) -> Form {
        if let form = forms[verb.rawValue] { return form }
        let form = try make(verb)
        forms[verb.rawValue] = form
        return form
    }

    private func make(_ verb: Verb) throws(LockstepError) -> Form {
        var slots: [RowSink.Slot] = []
        for name in shape.names {
            let isKey = shape.key.containsBytes(of: name)
            let isBound =
                switch verb {
                case .delete, .select: isKey
                default: !generated.contains(SQLName(name))
                }
            slots.append(
                RowSink.Slot(
                    name: name, isKey: isKey && verb.needsKey, isBound: isBound,
                    dates: shape.type.dates(for: name), uuids: shape.type.uuids(for: name)))
        }
        if verb.needsKey || verb == .upsert || verb == .upsertReturning { try requireKey() }
        return Form(key: StatementKey(text(verb, slots)), slots: slots)
    }

    private func requireKey() throws(LockstepError) {
        let missing = shape.key.filter { !shape.names.containsBytes(of: $0) }
        guard !missing.isEmpty || shape.key.isEmpty else { return }
        throw LockstepError(
            .misuse,
            shape.key.isEmpty
                ? "\(shape.type) declares no key"
                : "\(shape.type) encodes no \(missing.joined(separator: ", ")), which is its key",
            hint: "declare the key: `static var primaryKey: [String]`", context: .init(table: shape.table))
    }

    /// The parameters have the numbers of the properties that are bound, so that a record is encoded once, in its own
    /// order.
    private func text(_ verb: Verb, _ slots: [RowSink.Slot]) -> String {
        let bound = slots.filter(\.isBound).map(\.name)
        let place = Dictionary(
            uniqueKeysWithValues: zip(bound.map { ExactText($0) }, (1...max(bound.count, 1)).map { "?\($0)" }))
        let quoted = bound.map(SQLTokens.quote).joined(separator: ", ")
        let places = bound.compactMap { place[ExactText($0)] }.joined(separator: ", ")
        let isKey = shape.key.map { "\(SQLTokens.quote($0)) = \(place[ExactText($0)] ?? "NULL")" }
            .joined(separator: " AND ")
        let others = bound.filter { !shape.key.containsBytes(of: $0) }
        let insertion = "INSERT INTO \(name) (\(quoted)) VALUES (\(places))"
        switch verb {
        case .insert: return insertion
        case .insertReturning: return insertion + returning
        case .update:
            let assignments = (others.isEmpty ? bound : others)
                .map { "\(SQLTokens.quote($0)) = \(place[ExactText($0)] ?? "NULL")" }
            return
                "UPDATE \(name) SET \(assignments.joined(separator: ", ")) WHERE \(isKey)"
        case .upsert: return insertion + conflict(others)
        case .upsertReturning: return insertion + conflict(others) + returning
        case .delete: return "DELETE FROM \(name) WHERE \(isKey)"
        case .select: return "SELECT \(read) FROM \(name) WHERE \(isKey)"
        }
    }

    private func conflict(_ others: [String]) -> String {
        let key = shape.key.map(SQLTokens.quote).joined(separator: ", ")
        let assignments = others.map { SQLTokens.quote($0) }.map { "\($0) = excluded.\($0)" }
        let action =
            assignments.isEmpty
            ? "NOTHING" : "UPDATE SET \(assignments.joined(separator: ", "))"
        return " ON CONFLICT (\(key)) DO \(action)"
    }

    private var returning: String { " RETURNING \(read)" }

    /// The columns of a row that is read back.
    private var read: String {
        shape.isWhole ? shape.names.map(SQLTokens.quote).joined(separator: ", ") : "*"
    }

    /// The row with this number.
    func selection(_ row: Int64, in column: String) -> SQL {
        "SELECT \(verbatim: read) FROM \(verbatim: name) WHERE \(name: column) = \(row)"
    }

    /// An UPDATE of these columns, of the row with this key.
    func update(_ columns: [String], _ key: [String], values: [Value]) -> SQL {
        let equal = { (name: String) in "\(SQLTokens.quote(name)) = ?" }
        return SQL(
            verbatim:
                "UPDATE \(name) SET \(columns.map(equal).joined(separator: ", ")) WHERE \(key.map(equal).joined(separator: " AND "))",
            values: values)
    }

    /// Whether a column is computed from others.
    func isGenerated(_ name: String) -> Bool { generated.contains(SQLName(name)) }
}

extension RecordTable.Verb {
    /// Whether it finds a row by its key.
    fileprivate var needsKey: Bool {
        switch self {
        case .update, .delete, .select: true
        case .insert, .insertReturning, .upsert, .upsertReturning: false
        }
    }
}

/// The tables of records that one connection has used since its schema last changed.
private final class RecordTables {
    let schema: Int64
    /// How many objects of the temporary schema had been made.
    let temporaryObjects: Int
    var tables: [ObjectIdentifier: RecordTable] = [:]
    var sources: [ObjectIdentifier: RecordSource] = [:]
    /// The last of each, by its record type: most calls are for the same one.
    var last: (type: ObjectIdentifier, table: RecordTable)?
    var lastSource: (type: ObjectIdentifier, source: RecordSource)?

    init(_ schema: Int64, temporaryObjects: Int) {
        (self.schema, self.temporaryObjects) = (schema, temporaryObjects)
    }
}

extension Connection {
    /// The table of the shape that values of the record's type have.
    func recordTable<R: Record>(of record: R) throws -> RecordTable {
        let known = try recordTables()
        let type = ObjectIdentifier(R.self)
        if let last = known.last, last.type == type { return last.table }
        let table = try recordTable(RecordShape.usual(of: record))
        known.last = (type, table)
        return table
    }

    /// The table of a shape.
    func recordTable(_ shape: RecordShape) throws -> RecordTable {
        let known = try recordTables()
        if let table = known.tables[ObjectIdentifier(shape)] { return table }
        let table = try RecordTable(shape, self)
        known.tables[ObjectIdentifier(shape)] = table
        return table
    }

    /// The rows of a type.
    func recordSource<R: Record>(_ type: R.Type) throws -> RecordSource {
        let known = try recordTables()
        let id = ObjectIdentifier(type)
        if let last = known.lastSource, last.type == id { return last.source }
        let source: RecordSource
        if let old = known.sources[id] {
            source = old
        } else {
            source = try RecordSource(type, self)
            known.sources[id] = source
        }
        known.lastSource = (id, source)
        return source
    }

    private func recordTables() throws -> RecordTables {
        var last = core.attachment.records as? RecordTables
        let temporaryObjects = authorizer.temporaryObjects
        if last?.temporaryObjects != temporaryObjects { last = nil }
        // Asking takes longer than finding a table.
        if let last, core.knowsSchema.isSet, core.authorizer.openTransactions > 0 { return last }
        // Sealing a column changes the schema, too.
        let schema = try core.schemaVersion()
        core.knowsSchema.isSet = core.isInTransaction
        if let last, last.schema == schema { return last }
        let known = RecordTables(schema, temporaryObjects: temporaryObjects)
        core.attachment.records = known
        return known
    }
}
