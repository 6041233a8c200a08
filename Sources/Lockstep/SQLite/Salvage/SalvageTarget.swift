internal import CSQLCipher
internal import SystemPackage

/// The new database that a salvage fills. All SQL that a salvage runs is here and in `SalvageCheck`.
///
/// A class, so that statements can be kept from one row to the next. Releasing it closes the database.
final class SalvageTarget {
    enum Outcome {
        case inserted, duplicate, refused
    }

    private final class Insert {
        let statement: Statement
        init(_ statement: consuming Statement) { self.statement = statement }
    }

    let connection: Connection
    private var inserts: [ExactText: Insert] = [:]

    /// Creates a database whose tables accept rows unchanged, without checking references.
    /// - Parameter longest: The bytes of the longest value that the damaged file can hold: what an index or a generated
    ///   column of its schema makes beyond that would cost memory without end.
    init(creating path: FilePath, _ key: borrowing DatabaseKey, longest: Int) throws {
        var options = ConnectionOptions()
        // The file gets its name only after the last checkpoint has reached the disk.
        options.synchronous = .normal
        connection = try Connection.createEmpty(path, key: key, options: options)
        connection.authorizer.mode = .engine
        connection.setLimit(.valueLength, longest)
        // Shadow tables are filled like others, and definitions can come from a program that allowed double
        // quotes around strings.
        for (option, value) in [(SQLITE_DBCONFIG_DEFENSIVE, Int32(0)), (SQLITE_DBCONFIG_DQS_DDL, 1)] {
            let code = unsafe lockstep_db_config_flag(connection.handle, Int32(option), value)
            guard code == SQLITE_OK else {
                throw unsafe ResultCode.error(code, on: connection.handle)
            }
        }
        try run("PRAGMA foreign_keys = OFF")
        try run("PRAGMA ignore_check_constraints = ON")
    }

    /// Opens the finished database for the final checks.
    init(opening path: FilePath, _ key: borrowing DatabaseKey, longest: Int) throws {
        connection = try Connection.open(path, key: key.withoutOrigin())
        connection.authorizer.mode = .engine
        connection.setLimit(.valueLength, longest)
    }

    /// All SQL that is assembled at run time goes through here.
    func statement(_ sql: String) throws -> Statement {
        try connection.prepare(SQL(verbatim: sql))
    }

    func run(_ sql: String) throws { try statement(sql).run() }

    /// Runs one transaction. Its changes go to the log, encrypted, and are not kept in memory.
    func transaction(_ body: () throws -> Void) throws {
        inserts = [:]
        try connection.write { _ in try body() }
    }

    // MARK: Schema

    /// Whether a table of this name exists, even one that SQLite or a virtual table created.
    func hasTable(_ name: String) throws -> Bool {
        let count = try statement(
            "SELECT count(*) FROM main.sqlite_schema WHERE type = 'table' AND lower(name) = lower(?)"
        ).first(name) { row in try row[0] as Int }
        return count == 1
    }

    /// The names of the shadow tables.
    func shadowTables() throws -> Set<SQLName> {
        let names = try statement(
            "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'shadow'"
        ).map { row in try row[0] as SQLName }
        return Set(names)
    }

    func empty(_ table: String) throws { try run("DELETE FROM main.\(SQLTokens.quote(table))") }

    func drop(_ table: String) throws { try run("DROP TABLE main.\(SQLTokens.quote(table))") }

    /// How the rows of a table that was created here are stored.
    func shape(of table: String) throws -> TableShape {
        let columns = try statement(
            """
            SELECT name, type, "notnull", pk, hidden, dflt_value IS NOT NULL
            FROM pragma_table_xinfo(?, 'main') ORDER BY cid
            """
        ).map(table) { row in
            (
                name: try row[0] as String, type: try row[1] as String,
                isNotNull: try row[2] as Bool,
                key: try row[3] as Int, hidden: try row[4] as Int,
                hasDefault: try row[5] as Bool
            )
        }
        let isWithoutRowID = try statement(
            "SELECT wr FROM pragma_table_list WHERE schema = 'main' AND lower(name) = lower(?)"
        ).first(table) { row in try row[0] as Bool }
        let keyIndex = try statement(
            "SELECT name FROM pragma_index_list(?, 'main') WHERE origin = 'pk'"
        ).first(table) { row in try row[0] as String }
        // INTEGER PRIMARY KEY DESC has an index of its own and is not an alias of the rowid.
        let hasAlias = isWithoutRowID != true && keyIndex == nil && columns.count { $0.key > 0 } == 1
        let all = columns.map { column in
            TableShape.Field(
                name: column.name, affinity: Affinity(column.type),
                isNotNull: column.isNotNull,
                mayBeAbsent: column.key == 0 && column.hidden < 2 && (!column.isNotNull || column.hasDefault),
                isRowID: hasAlias && column.key == 1, isGenerated: column.hidden > 1)
        }
        var fields = zip(all, columns).filter { $0.1.hidden != 2 }.map(\.0)
        if isWithoutRowID == true {
            let order = try statement(
                "SELECT cid FROM pragma_index_xinfo(?, 'main') ORDER BY seqno"
            ).map(keyIndex) { row in try row[0] as Int }
            fields = order.compactMap { all.indices.contains($0) ? all[$0] : nil }
        }
        return TableShape(
            name: table, fields: fields, hasRowIDs: isWithoutRowID != true,
            rowIDName: hasAlias ? nil : RowIDName.free(beside: columns.map { SQLName($0.name) }).first)
    }

    // MARK: Rows

    /// Fails if rows cannot be inserted: a collation that a column names can be missing.
    func requireInsertable(_ shape: TableShape) throws {
        _ = try insert(shape, fields: shape.fields.count, replacing: false)
        inserts = [:]
    }

    /// Inserts a row as it was stored. Columns that were added later get their default.
    /// - Parameter replacing: Whether it replaces a row with the same key.
    func insert(
        _ values: [StoredValue], rowID: Int64?, into shape: TableShape, _ encoding: TextEncoding,
        replacing: Bool = false
    ) throws -> Outcome {
        let insert = try insert(shape, fields: values.count, replacing: replacing)
        return try run(insert, parameters(values, rowID, shape), encoding)
    }

    /// Whether the table has a row with just these values.
    func has(
        _ values: [StoredValue], rowID: Int64?, in shape: TableShape, _ encoding: TextEncoding
    ) throws -> Bool {
        let names = names(shape, fields: values.count)
        let terms = names.map { "\($0) IS ?" }.joined(separator: " AND ")
        let find = Insert(try statement("SELECT 1 FROM main.\(SQLTokens.quote(shape.name)) WHERE \(terms)"))
        try bind(parameters(values, rowID, shape), to: find, encoding)
        return try find.statement.step()
    }

    /// The values of ``names(_:fields:)``.
    private func parameters(
        _ values: [StoredValue], _ rowID: Int64?, _ shape: TableShape
    ) -> [StoredValue] {
        var parameters: [StoredValue] = []
        for (index, field) in shape.fields.enumerated() where !field.isGenerated {
            if field.isRowID {
                parameters.append(rowID.map { .integer($0) } ?? .null)
            } else if index < values.count {
                parameters.append(values[index])
            }
        }
        if shape.hasRowIDs, shape.rowIDName != nil {
            parameters.append(rowID.map { .integer($0) } ?? .null)
        }
        return parameters
    }

    /// The columns in which a row of this many fields is stored.
    private func names(_ shape: TableShape, fields: Int) -> [String] {
        var names = shape.fields.enumerated()
            .filter { !$0.element.isGenerated && ($0.element.isRowID || $0.offset < fields) }
            .map { SQLTokens.quote($0.element.name) }
        if shape.hasRowIDs, let rowID = shape.rowIDName { names.append(rowID) }
        return names
    }

    private func bind(
        _ values: [StoredValue], to insert: Insert, _ encoding: TextEncoding
    ) throws {
        try insert.statement.begin()
        for (index, value) in values.enumerated() {
            let code = value.bind(to: Parameters(insert.statement.prepared), at: Int32(index + 1), encoding)
            guard code == SQLITE_OK else {
                throw unsafe ResultCode.error(code, on: connection.handle)
            }
        }
    }

    private func run(
        _ insert: Insert, _ values: [StoredValue], _ encoding: TextEncoding
    ) throws -> Outcome {
        try bind(values, to: insert, encoding)
        do throws(LockstepError) {
            while try insert.statement.step() {}
            return .inserted
        } catch {
            guard error.code == .constraint || error.code == .sqlFailed else { throw error }
            return Self.duplicateKey.contains(error.sqliteCode ?? 0) ? .duplicate : .refused
        }
    }

    /// SQLITE_CONSTRAINT_PRIMARYKEY and …_ROWID, macros that Swift cannot import.
    private static let duplicateKey = [SQLITE_CONSTRAINT | 6 << 8, SQLITE_CONSTRAINT | 10 << 8]

    private func insert(_ shape: TableShape, fields: Int, replacing: Bool) throws -> Insert {
        let id = ExactText("\(fields) \(replacing) \(shape.name)")
        if let insert = inserts[id] { return insert }
        let names = names(shape, fields: fields)
        let places = [String](repeating: "?", count: names.count).joined(separator: ", ")
        // The clause overrides the conflict clauses of the table's constraints.
        let sql =
            "INSERT OR \(replacing ? "REPLACE" : "ABORT") INTO main.\(SQLTokens.quote(shape.name)) "
            + "(\(names.joined(separator: ", "))) VALUES (\(places))"
        let insert = Insert(try statement(sql))
        inserts[id] = insert
        return insert
    }

    /// Runs a statement with these values.
    /// - Returns: False if SQLite refuses them.
    func set(_ values: [StoredValue], by sql: SQL, _ encoding: TextEncoding) throws -> Bool {
        try run(Insert(connection.prepare(sql)), values, encoding) == .inserted
    }

    /// Makes sure that no identifier of the table is issued again.
    func raiseSequence(of table: String, to number: Int64) throws {
        try statement("UPDATE main.sqlite_sequence SET seq = max(seq, ?) WHERE name = ?")
            .run(number, table)
        guard connection.changes == 0 else { return }
        try statement("INSERT INTO main.sqlite_sequence (name, seq) VALUES (?, ?)")
            .run(table, number)
    }
}
