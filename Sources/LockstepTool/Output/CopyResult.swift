import Lockstep
import SystemPackage

/// The result of copying a whole database, as the commands report it.
struct CopyResult: Encodable {
    private struct Table: Encodable {
        let name: String
        let rows: Int
    }

    private let from: String
    private let to: String
    private let pages: Int
    private let rows: Int
    private let tables: [Table]

    init(_ report: CopyReport, from: FilePath, to: FilePath) {
        self.from = from.string
        self.to = to.string
        pages = report.pages
        rows = report.rows.values.reduce(0, +)
        tables = report.rows.map { Table(name: $0.key.text, rows: $0.value) }
            .sorted { ExactText($0.name) < ExactText($1.name) }
    }

    /// - Parameters:
    ///   - done: The operation in the past tense, such as `exported`.
    ///   - preposition: The word between the original's name and the copy's.
    func show(_ done: String, _ preposition: String = "to") {
        Output.line(
            "\(done) \(from) \(preposition) \(to): \(counted(pages, "page")), "
                + "\(counted(tables.count, "table")), \(counted(rows, "row"))")
        for table in tables { Output.line("  \(table.name): \(counted(table.rows, "row"))") }
    }
}
