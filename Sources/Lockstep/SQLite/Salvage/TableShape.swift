/// How a table's rows are stored: which field of a record is which column.
///
/// A record has no names. In a table with rowids its fields are the columns in their order, without virtual
/// generated ones; the column that is an alias of the rowid is NULL there. In a WITHOUT ROWID table the primary
/// key's columns come first. A record that was written before columns were added lacks their fields.
struct TableShape {
    struct Field {
        let name: String
        let affinity: Affinity
        var isNotNull = false
        /// Whether rows can lack it: a column that was added later can be NULL or has a default, and is no key.
        var mayBeAbsent = false
        /// An alias of the rowid, `INTEGER PRIMARY KEY`.
        var isRowID = false
        /// Computed by SQLite when the row is inserted.
        var isGenerated = false
    }

    let name: String
    let fields: [Field]
    let hasRowIDs: Bool
    /// A name under which the rowid can be set; nil if columns use all such names.
    let rowIDName: String?

    /// Whether the table can have a row of these types at all: a TEXT column turns numbers into text, the
    /// rowid's alias is NULL, and no row has more fields than its table, or lacks one that none can lack.
    func mayHold(_ types: [SerialType.Class]) -> Bool {
        guard types.count <= fields.count, !types.isEmpty else { return false }
        guard fields[types.count...].allSatisfy(\.mayBeAbsent) else { return false }
        return zip(fields, types).allSatisfy { field, type in
            switch type {
            case .null: field.isRowID || !field.isNotNull
            case .integer, .real: !field.isRowID && field.affinity != .text
            case .text, .blob: !field.isRowID
            }
        }
    }

    /// Whether the row has the types that are usual in this table.
    func typicallyHolds(_ types: [SerialType]) -> Bool {
        guard types.count == fields.count else { return false }
        return zip(fields, types).allSatisfy { field, type in
            switch (field.affinity, type.storageClass) {
            case (_, .null), (.blob, _), (.numeric, _): true
            case (.integer, .integer), (.text, .text), (.real, .real), (.real, .integer): true
            default: false
            }
        }
    }
}
