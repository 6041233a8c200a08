extension Connection {
    /// Compares record types with the schema that the connection sees, some 30 µs each, and reports everything that
    /// does not fit at once:
    ///
    /// - a property without a column, or a table that is missing;
    /// - a property that can be nil, and a column that is NOT NULL; the reverse;
    /// - a column that is NOT NULL, has no default and no property, so that no record can be inserted;
    /// - a number in a column of texts, or a text in a column of numbers, which SQLite would convert.
    ///
    /// Only names are compared where the table is a view or virtual.
    /// - Throws: ``LockstepError/Code/recordMisfit`` if a type does not fit; ``LockstepError/Code/keyUnavailable`` if a
    ///   table has sealed columns whose keys the connection does not have.
    public func check(_ records: any Record.Type...) throws { try check(all: records) }

    /// The same for a list of types.
    /// - Throws: The errors of ``check(_:)``.
    public func check(all records: [any Record.Type]) throws {
        var misfits: [LockstepError] = []
        for record in records {
            if let misfit = try misfit(of: record) { misfits.append(misfit) }
        }
        guard let first = misfits.first else { return }
        throw LockstepError(
            first.code, misfits.map(\.message).joined(separator: "\n"), hint: first.hint, context: first.context)
    }

    private func misfit<R: Record>(of type: R.Type) throws -> LockstepError? {
        _ = try readable(R.table)
        let columns: RecordColumns
        do {
            columns = try RecordColumns(of: type, self)
        } catch let error as LockstepError where error.code == .recordMisfit {
            return error
        }
        var check = RecordCheck(type, columns)
        try check.refuseNil(of: check.defaulted, type, self)
        guard !check.problems.isEmpty else { return nil }
        return LockstepError(
            .recordMisfit, "\(type) does not fit table \(R.table): \(check.problems.joined(separator: "; "))",
            hint: columns.list, context: .init(table: R.table, missing: check.missing))
    }
}

extension Store {
    /// Compares record types with the schema: see ``Connection/check(_:)``.
    /// - Throws: The errors of ``Connection/check(_:)`` and of a read.
    public func check(_ records: any Record.Type...) async throws {
        try await check(all: records)
    }

    /// The same for a list of types.
    /// - Throws: The errors of ``Connection/check(_:)`` and of a read.
    public func check(all records: [any Record.Type]) async throws {
        try await read { db in try db.check(all: records) }
    }
}

/// What does not fit between a type and its table.
private struct RecordCheck {
    private(set) var problems: [String] = []
    /// The columns that are NOT NULL with a default, of properties that may be nil.
    private(set) var defaulted: [String] = []
    private(set) var missing: LockstepError.MissingObject?

    init<R: Record>(_ type: R.Type, _ columns: RecordColumns) {
        let properties = RecordProperties.of(type)
        var used: Set<SQLName> = []
        for property in properties.all {
            guard let name = property.column else { continue }
            used.insert(SQLName(name))
            guard let column = columns[name] else {
                let of = name.hasSameBytes(as: property.name) ? "" : " \(name)"
                problems.append("\(property.name) has no column\(of)")
                missing = missing ?? .init(.column, name)
                continue
            }
            compare(property, column, columns)
        }
        for name in properties.declared.sortedByBytes() {
            if properties.isCoded?(name) == false {
                problems.append("its `columns` declare \(name), which is none of its coding keys")
            } else if used.insert(SQLName(name)).inserted, columns[name] == nil {
                // Of a property whose place is not known, such as one with a wrapper.
                problems.append("its `columns` declare \(name), which is no column")
                missing = missing ?? .init(.column, name)
            }
        }
        guard !properties.all.isEmpty else { return }
        let isCoded = properties.isCoded
        let others = columns.all.filter { !used.contains(SQLName($0.name)) }
        let renamed = properties.all.filter { $0.column == nil }.map(\.name)
        for column in others {
            if !renamed.isEmpty, isCoded?(column.name) == true {
                problems.append(
                    "\(column.name) is a coding key, and `columns` does not say of which property, "
                        + renamed.joined(separator: " or "))
            } else if columns.isTable, column.isNotNull, !column.isDefaulted, !column.isGenerated,
                !columns.rowID.hasSameBytes(as: column.name)
            {
                problems.append("column \(column.name) is NOT NULL without a default, and has no property")
            }
        }
        for name in R.primaryKey where columns[name] == nil {
            problems.append("its key \(name) has no column")
        }
    }

    private mutating func compare(
        _ property: RecordProperties.Property, _ column: RecordColumns.Column, _ columns: RecordColumns
    ) {
        guard columns.isTable else { return }
        let isNumber = columns.rowID.hasSameBytes(as: column.name)
        if property.isOptional, column.isNotNull, !isNumber {
            if column.isDefaulted {
                defaulted.append(column.name)
            } else {
                problems.append("\(property.name) may be nil, and its column is NOT NULL")
            }
        } else if !property.isOptional, !columns.isNeverNull(column) {
            problems.append("\(property.name) cannot be nil, and its column may be NULL")
        }
        // A cell keeps its value's type.
        guard !columns.sealed.contains(SQLName(column.name)) else { return }
        switch (property.type.storage, column.affinity) {
        case (.number, .text):
            problems.append("\(property.name) is of type \(property.type.name), and its column stores texts")
        case (.text, .integer), (.text, .real), (.text, .numeric):
            problems.append("\(property.name) is of type \(property.type.name), and its column stores numbers")
        default: break
        }
    }

    /// A nil is written as NULL, which a default does not replace: reported, unless the type's own coding leaves nil
    /// out.
    mutating func refuseNil<R: Record>(
        of columns: [String], _ type: R.Type, _ connection: borrowing Connection
    ) throws {
        guard !columns.isEmpty else { return }
        let written = try NilProbe.encoded(type, columns, connection)
        for column in columns where written?.contains(column) ?? true {
            problems.append(
                "\(column) may be nil, which is written as NULL, and its column is NOT NULL: its default is for records that do not encode it"
            )
        }
    }
}

/// Finds out what a type encodes of a value with nils: one that is decoded from a row, or from values that are made up.
private enum NilProbe {
    /// The columns that such a value encodes; nil if the type decodes no such value.
    static func encoded<R: Record>(
        _ type: R.Type, _ columns: [String], _ connection: borrowing Connection
    ) throws -> Set<String>? {  // exact: names in the program's source
        let source = try connection.recordSource(type)
        let properties = RecordProperties.of(type).all.filter { property in
            property.column.map { !columns.contains($0) } ?? false
        }
        let none = columns.map { "NULL AS \(SQLTokens.quote($0))" }
        let stored = properties.compactMap(\.column).map(SQLTokens.quote)
        let made = properties.map { property in
            "\(Self.literal(property, type)) AS \(SQLTokens.quote(property.column ?? ""))"
        }
        let texts = [
            "SELECT \((none + stored).joined(separator: ", ")) FROM \(source.name) LIMIT 1",
            "SELECT \((none + made).joined(separator: ", "))",
        ]
        for text in texts {
            let value = try? connection.first(SQL(verbatim: text)) { row in try row.decode(type) }
            guard let value, let sink = try? RowSink.collect(value) else { continue }
            return Set(sink.names)
        }
        return nil
    }

    private static func literal(
        _ property: RecordProperties.Property, _ type: any Record.Type
    ) -> String {
        guard !property.isOptional else { return "NULL" }
        switch property.type.storage {
        case .number: return "0"
        case .text: return "''"
        case .other: break
        }
        switch property.type.name {
        case "Date":
            return type.dates(for: property.column ?? "") == .iso8601 ? "'2001-01-01'" : "0"
        case "UUID":
            return type.uuids(for: property.column ?? "") == .blob
                ? "zeroblob(16)" : "'00000000-0000-0000-0000-000000000000'"
        case "Decimal": return "'0'"
        case "URL": return "'a:'"
        case "Data", "Array<UInt8>": return "x''"
        case let name: return name.hasPrefix("Array") ? "'[]'" : "'{}'"
        }
    }
}
