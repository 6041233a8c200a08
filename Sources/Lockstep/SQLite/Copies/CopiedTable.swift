/// A schema object as `sqlite_schema` lists it.
struct CopiedObject {
    let type: String
    let name: String
    let sql: String
    /// The table that an index or a trigger belongs to; its own name for others.
    let table: String
    /// Whether it is the shadow table of a virtual table, which creates it.
    let isMadeByAnother: Bool

    /// All objects that were created by SQL, in the order of their creation.
    static func all(_ connection: borrowing Connection) throws -> [CopiedObject] {
        try connection.query(
            """
            SELECT type, name, sql, tbl_name, type = 'table' AND lower(name) IN (
                SELECT lower(name) FROM pragma_table_list WHERE schema = 'main' AND type = 'shadow')
            FROM main.sqlite_schema
            WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid
            """
        ) { row in
            CopiedObject(
                type: try row[0], name: try row[1], sql: try row[2], table: try row[3], isMadeByAnother: try row[4])
        }
    }

    func isNamed(_ other: String) -> Bool { SQLName(name) == SQLName(other) }

    /// Whether it is the object of this name, or goes with it. No module that SQLite has calls a part with an underscore.
    func isPart(of other: String) -> Bool {
        if isNamed(other) || SQLName(table) == SQLName(other) { return true }
        guard isMadeByAnother, let part = SQLName(name).part(after: "\(other)_") else { return false }
        return !part.spelling.utf8.contains(UInt8(ascii: "_"))
    }
}

/// A table whose rows are copied one by one, with the SQL for that.
struct CopiedTable {
    let name: String
    /// Whether a virtual table stores its content in it.
    let belongsToVirtual: Bool
    /// Selects every row, in an order that is the same in any copy unless there is a ``lookup``.
    let selection: SQL
    /// Inserts one row of the selection.
    let insertion: SQL
    /// Finds a row by its primary key, for a table without rowids: its row order depends on the encoding.
    let lookup: SQL?
    /// The positions of the key's values in the selection.
    let keyColumns: [Int]?
    /// For a table with so many columns that no statement has room for the rowid: what selects the rowids in the order of
    /// the selection, and what gives the last inserted row its own.
    let rowIDs: (selection: SQL, assignment: SQL)?

    /// The highest number of columns of a statement, as SQLite is compiled by default (SQLITE_MAX_COLUMN).
    private static let most = 2000

    /// The tables that store rows themselves, in the order of their creation.
    static func all(_ connection: borrowing Connection) throws -> [CopiedTable] {
        let tables = try connection.query(
            """
            SELECT s.name, l.type = 'shadow', l.wr FROM main.sqlite_schema AS s
            JOIN pragma_table_list AS l ON l.schema = 'main' AND l.name = s.name
            WHERE s.type = 'table' AND s.rootpage > 0
                AND s.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY s.rowid
            """, as: (String, Bool, Bool).self)
        var copied: [CopiedTable] = []
        for (name, belongsToVirtual, isWithoutRowID) in tables {
            copied.append(
                try CopiedTable(name, belongsToVirtual: belongsToVirtual, isWithoutRowID: isWithoutRowID, connection))
        }
        return copied
    }

    private init(
        _ name: String, belongsToVirtual: Bool, isWithoutRowID: Bool,
        _ connection: borrowing Connection
    ) throws {
        self.name = name
        self.belongsToVirtual = belongsToVirtual
        // Generated columns are recomputed.
        let columns = try connection.query(
            "SELECT name, pk FROM pragma_table_xinfo(?, 'main') WHERE hidden < 2 ORDER BY cid",
            name,
            as: (String, Int).self)
        let hidden = try connection.query(
            "SELECT name FROM pragma_table_xinfo(?, 'main') WHERE hidden > 1", name
        ) { row in try row[0] as SQLName }
        var names = columns.map { SQLTokens.quote($0.0) }
        if isWithoutRowID {
            let keys = columns.indices.filter { columns[$0].1 > 0 }
            keyColumns = Array(keys)
            let collations = try Self.keyCollations(name, connection)
            let conditions = keys.map {
                let collation = collations[SQLName(columns[$0].0)] ?? "BINARY"
                return "\(names[$0]) COLLATE \(SQLTokens.quote(collation)) IS ?"
            }.joined(separator: " AND ")
            lookup = """
                SELECT \(verbatim: names.joined(separator: ", ")) FROM main.\(name: name)
                WHERE \(verbatim: conditions)
                """
            selection =
                "SELECT \(verbatim: names.joined(separator: ", ")) FROM main.\(name: name)"
            rowIDs = nil
        } else {
            keyColumns = nil
            lookup = nil
            // The rowid has three names, and columns can take some of them. If they take all three, the rowid
            // is either one of those columns or irrelevant.
            let taken = columns.map { SQLName($0.0) } + hidden
            let rowID = RowIDName.free(beside: taken).first
            if let rowID, names.count >= Self.most {
                rowIDs = (
                    "SELECT \(verbatim: rowID) FROM main.\(name: name) ORDER BY \(verbatim: rowID)",
                    "UPDATE main.\(name: name) SET \(verbatim: rowID) = ? WHERE \(verbatim: rowID) = last_insert_rowid()"
                )
            } else {
                rowIDs = nil
                if let rowID { names.insert(rowID, at: 0) }
            }
            selection = """
                SELECT \(verbatim: names.joined(separator: ", ")) FROM main.\(name: name)
                \(verbatim: rowID.map { "ORDER BY \($0)" } ?? "")
                """
        }
        let places = repeatElement("?", count: names.count).joined(separator: ", ")
        insertion = """
            INSERT INTO main.\(name: name) (\(verbatim: names.joined(separator: ", ")))
            VALUES (\(verbatim: places))
            """
    }

    /// The collation by which the primary key distinguishes each column's values; the column's own can differ.
    private static func keyCollations(
        _ table: String, _ connection: borrowing Connection
    ) throws -> [SQLName: String] {
        let rows = try connection.query(
            """
            SELECT x.name, x.coll FROM pragma_index_list(?, 'main') AS l
            JOIN pragma_index_xinfo(l.name, 'main') AS x
            WHERE l.origin = 'pk' AND x.key = 1 AND x.name IS NOT NULL
            """, table, as: (SQLName, String).self)
        return Dictionary(rows, uniquingKeysWith: { first, _ in first })
    }
}
