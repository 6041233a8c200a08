import Lockstep

/// Rows of a model store, as a table or as JSON.
enum Listing {
    /// - Parameter cells: The values of one row, in the order of `columns`.
    static func show<Element>(
        _ elements: [Element], _ output: FormatOptions, _ columns: [String], _ cells: (Element) throws -> [Value]
    ) throws {
        switch output.format {
        case .json:
            try Output.part("{\"columns\":\(Output.encoded(columns)),\"rows\":[")
            for (index, element) in elements.enumerated() {
                let values = try cells(element).map(JSONValue.init(value:))
                try Output.part((index == 0 ? "" : ",") + Output.encoded(values))
            }
            Output.line("]}")
        case .text:
            var table = TableWriter(header: columns)
            for element in elements { table.add(try cells(element).map(text)) }
            table.finish()
        }
    }

    /// A value as a cell of a table. A missing value is an empty cell.
    static func text(_ value: Value) -> String {
        switch value {
        case .null: ""
        case .integer(let number): String(number)
        case .real(let number): String(number)
        case .text(let text): Output.printable(text)
        case .blob(let bytes): counted(bytes.count, "byte")
        }
    }
}
