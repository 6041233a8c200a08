import ArgumentParser
import FoundationEssentials
import Lockstep

/// `lockstep query`: one statement that reads.
struct Query: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run one SQL statement that reads, and show its rows.",
        discussion: "The connection cannot write, whatever the statement says.")

    @Argument(help: "The statement. It shows in the list of processes: put no secret into it.")
    var sql: String

    @OptionGroup var access: AccessOptions
    @OptionGroup var output: FormatOptions

    private struct Result: Encodable {
        let columns: [String]
        let rows: [[JSONValue]]
    }

    func run() throws {
        let session = try access.session()
        let connection = try session.connect(queryOnly: true)
        let (columns, rows) = try connection.read { connection in
            let statement = try connection.prepare(sql)
            let rows = try statement.map { row in
                try (0..<row.count).map { try row[$0] as Value }
            }
            return (statement.columnNames, rows)
        }
        guard output.format == .text else {
            let values = rows.map { $0.map { JSONValue(value: $0) } }
            return try Output.json(Result(columns: columns, rows: values))
        }
        Self.tell(columns.map(Output.printable), rows.map { $0.map(Self.text) })
    }

    private static func tell(_ columns: [String], _ rows: [[String]]) {
        let widths = columns.indices.map { index in
            ([columns[index].count] + rows.map { $0[index].count }).max() ?? 0
        }
        for row in [columns] + rows {
            let cells = zip(row, widths).map { cell, width in
                cell + String(repeating: " ", count: max(0, min(width, 60) - cell.count))
            }
            var line = cells.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            Output.line(line)
        }
    }

    private static func text(_ value: Value) -> String {
        switch value {
        case .null: "NULL"
        case .integer(let number): String(number)
        case .real(let number): String(number)
        case .text(let text): Output.printable(text)
        case .blob(let bytes): "blob of \(bytes.count) bytes"
        }
    }
}

/// A value as JSON has it; a blob is its base64 text.
private struct JSONValue: Encodable {
    let value: Value

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch value {
        case .null: try container.encodeNil()
        case .integer(let number): try container.encode(number)
        case .real(let number):
            // JSON has no infinity.
            number.isFinite ? try container.encode(number) : try container.encode("\(number)")
        case .text(let text): try container.encode(text)
        case .blob(let bytes): try container.encode(Data(bytes).base64EncodedString())
        }
    }
}
