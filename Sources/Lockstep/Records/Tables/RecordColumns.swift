/// The columns of a record's table in one connection's schema.
struct RecordColumns {
    struct Column {
        let name: String
        let affinity: Affinity
        let isNotNull: Bool
        let isDefaulted: Bool
        /// Its position in the primary key, from 1; 0 if it is not part of it.
        let keyPosition: Int
        let isGenerated: Bool
    }

    /// In their order, without the columns of blind indexes.
    let all: [Column]
    /// Whether it is a table, which can say that a column is never NULL; otherwise it is a view or a virtual table.
    let isTable: Bool
    /// The columns that are sealed.
    let sealed: Set<SQLName>
    /// The column that is another name for the row's number, and never NULL.
    let rowID: String?
    /// The name under which SQL finds the number of a row; nil if rows have none.
    let numberName: String?

    /// - Throws: ``LockstepError/Code/recordMisfit`` if there is no such table.
    init(of type: any Record.Type, _ connection: borrowing Connection) throws {
        let table = type.table
        let own = (connection.sealed?.named ?? []).map(\.column.column)
            .filter { SQLName($0.table) == SQLName(table) && $0.state != .plaintext }
        sealed = Set(own.map { SQLName($0.name) })
        let tokens = Set(own.flatMap { $0.indexes.map { SQLName($0.name) } })
        let (columns, kind) = try connection.with(rights: .engine) {
            let columns = try connection.query(
                """
                SELECT name, type, "notnull", dflt_value IS NOT NULL, pk, hidden > 1
                FROM pragma_table_xinfo(?)
                """, table
            ) { row in
                (
                    column: Column(
                        name: try row[0], affinity: Affinity(try row[1] as String? ?? ""),
                        isNotNull: try row[2], isDefaulted: try row[3], keyPosition: try row[4],
                        isGenerated: try row[5]),
                    type: try row[1] as String? ?? ""
                )
            }
            let kind = try connection.first("SELECT type, wr FROM pragma_table_list(?)", table) {
                (type: try $0[0] as String, isWithoutRowID: try $0[1] as Bool)
            }
            return (columns, kind)
        }
        guard !columns.isEmpty else {
            throw LockstepError(
                .recordMisfit, "there is no table \(table) for \(type)",
                hint: "declare its name: `static var table: String`",
                context: .init(table: table, missing: .init(.table, table)))
        }
        all = columns.map(\.column).filter { !tokens.contains(SQLName($0.name)) }
        isTable = kind?.type == "table"
        let key = columns.filter { $0.column.keyPosition > 0 }
        let isNumber = key.count == 1 && kind?.isWithoutRowID == false && key[0].type.asciiLowercased == "integer"
        rowID = isNumber ? key[0].column.name : nil
        numberName =
            kind?.type == "table" && kind?.isWithoutRowID == false
            ? rowID ?? RowIDName.free(beside: columns.map { SQLName($0.column.name) }).first : nil
    }

    subscript(_ name: String) -> Column? {
        all.first { SQLName($0.name) == SQLName(name) }
    }

    /// Whether a column holds no NULL.
    func isNeverNull(_ column: Column) -> Bool {
        column.isNotNull || rowID.map { SQLName($0) == SQLName(column.name) } == true
    }

    /// The same for the column of this name.
    func isNeverNull(_ name: String) -> Bool { self[name].map(isNeverNull) ?? false }

    /// Their names for a hint.
    var list: String { "its columns are \(all.map(\.name).joined(separator: ", "))" }
}
