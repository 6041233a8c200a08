/// A parsed CREATE INDEX statement.
struct IndexDefinition {
    let isUnique: Bool
    let table: ExactText
    let columns: SQLForm
    /// Nil for an index of all rows.
    let condition: SQLForm?

    /// - Parameter columns: Returns the column names of a table, in lower case.
    init(
        _ reader: DefinitionReader, name: String, columns: (ExactText) -> Set<ExactText>
    ) throws(DefinitionReader.Unreadable) {
        var reader = reader
        isUnique = try reader.header("index", named: name, allowing: "unique")
        try reader.require("on")
        table = try reader.name()
        let names = columns(table)
        self.columns = .list(try IndexedColumn.forms(try reader.group(), names))
        if reader.isAtEnd {
            condition = nil
        } else {
            try reader.require("where")
            condition = SQLForm(reader.rest(), .columns(names))
        }
    }
}
