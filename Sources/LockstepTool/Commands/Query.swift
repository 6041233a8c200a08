import ArgumentParser
import Lockstep

/// `lockstep query`: runs one read-only statement.
struct Query: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run one read-only SQL statement and show its rows.",
        discussion: """
            The connection cannot write, whatever the statement says. A statement or a database of unknown \
            origin can take any amount of time and memory: limit them with --timeout and --max-memory.

            With --url the statement runs on a PostgreSQL server, in a transaction that cannot write. With --fields it \
            shows sealed columns open where the key of their row is in the result too.
            """)

    @Argument(help: "The statement. The process list shows it: do not put a secret in it.")
    var sql: String

    @OptionGroup var access: FileOrServerOptions
    @OptionGroup var reading: ReadOnlyOption
    @OptionGroup var limitOptions: LimitOptions
    @OptionGroup var output: FormatOptions

    func validate() throws {
        guard access.server.isNamed, reading.readOnly || limitOptions.maxMemory != nil else {
            return
        }
        throw ValidationError("--read-only and --max-memory are for files: leave them out with --url")
    }

    func run() throws {
        let limits = try limitOptions.begin()
        if access.server.isNamed { return try limits.naming { try runOnServer(limits) } }
        try limits.naming { try run(limits) }
    }

    private func run(_ limits: Limits) throws {
        let session = try access.session(readOnly: reading.readOnly)
        let connection = try session.connect(queryOnly: true, limits)
        try connection.read { connection in
            let statement = try connection.prepare(SQL(verbatim: sql))
            switch output.format {
            case .json: try Self.writeJSON(statement)
            case .text: try Self.writeTable(statement)
            }
        }
    }

    /// Row by row, so that a result of any size needs little memory.
    private static func writeJSON(_ statement: borrowing Statement) throws {
        try Output.part("{\"columns\":\(Output.encoded(statement.columnNames)),\"rows\":[")
        var separator = ""
        try statement.forEach { row in
            let values = try (0..<row.count).map { JSONValue(value: try row.leniently($0)) }
            try Output.part(separator + Output.encoded(values))
            separator = ","
        }
        Output.line("]}")
    }

    private static func writeTable(_ statement: borrowing Statement) throws {
        var table = TableWriter(header: statement.columnNames.map(Output.printable))
        try statement.forEach { row in
            table.add(try (0..<row.count).map { text(try row.leniently($0)) })
        }
        table.finish()
    }

    static func text(_ value: Value) -> String {
        switch value {
        case .null: "NULL"
        case .integer(let number): String(number)
        case .real(let number): String(number)
        case .text(let text): Output.printable(text)
        case .blob(let bytes): "blob of \(counted(bytes.count, "byte"))"
        }
    }
}
