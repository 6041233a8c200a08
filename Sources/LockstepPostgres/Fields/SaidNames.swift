internal import Lockstep

/// What the statements of a version say of the names of tables and columns: which they rename, and which they drop.
struct SaidNames {
    private enum Change {
        case renameTable(String, to: String)
        case renameColumn(String, String, to: String)
        case dropTable(String)
        case dropColumn(String, String)
    }

    private var changes: [Change] = []

    /// - Parameter schema: The schema of the tables that are meant.
    init(_ statements: [String], in schema: String) {
        for sql in statements {
            var reader = StatementReader(sql)
            if reader.take("alter", "table") {
                readAlteration(&reader, schema)
            } else if reader.take("drop", "table") {
                readDrop(&reader, schema)
            }
        }
    }

    private static func table(_ name: StatementReader.Name?, _ schema: String) -> String? {
        guard let name, let last = name.last else { return nil }
        return name.count == 1 || name[name.count - 2].hasSameBytes(as: schema) ? last : nil
    }

    private mutating func readDrop(_ reader: inout StatementReader, _ schema: String) {
        _ = reader.take("if", "exists")
        repeat {
            if let table = Self.table(reader.name(), schema) { changes.append(.dropTable(table)) }
        } while reader.take(",")
    }

    private mutating func readAlteration(_ reader: inout StatementReader, _ schema: String) {
        _ = reader.take("if", "exists")
        _ = reader.take("only")
        guard let table = Self.table(reader.name(), schema) else { return }
        _ = reader.take("*")
        if reader.take("rename") {
            guard !reader.take("constraint") else { return }
            if reader.take("to") {
                if let name = reader.name()?.last { changes.append(.renameTable(table, to: name)) }
                return
            }
            _ = reader.take("column")
            guard let column = reader.name()?.last, reader.take("to"), let name = reader.name()?.last else { return }
            changes.append(.renameColumn(table, column, to: name))
            return
        }
        while !reader.isAtEnd {
            if reader.take("drop"), !reader.take("constraint") {
                _ = reader.take("column")
                _ = reader.take("if", "exists")
                if let column = reader.name()?.last { changes.append(.dropColumn(table, column)) }
            }
            while !reader.isAtEnd, !reader.take(",") { reader.skipOver() }
        }
    }

    /// The names that a column has after the statements; nil if they drop it.
    func name(of column: String, in table: String) -> (table: String, column: String)? {
        var (table, column) = (table, column)
        for change in changes {
            switch change {
            case .renameTable(let one, let name) where SQLName(one) == SQLName(table): table = name
            case .renameColumn(let one, let old, let name)
            where SQLName(one) == SQLName(table) && SQLName(old) == SQLName(column):
                column = name
            case .dropTable(let one) where SQLName(one) == SQLName(table): return nil
            case .dropColumn(let one, let old) where SQLName(one) == SQLName(table) && SQLName(old) == SQLName(column):
                return nil
            default: continue
            }
        }
        return (table, column)
    }
}
