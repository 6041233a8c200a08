/// The table of a new database that holds the rows whose place in it is unknown or taken, with the page and cell that
/// each was in, and its table if that is known. It is created for the first of them.
final class LostAndFound {
    private let target: SalvageTarget
    private let encoding: TextEncoding
    private var width: Int
    private var shape: TableShape?
    private(set) var report: SalvageReport.LostAndFound?

    private static let origin = ["origin_table", "origin_page", "origin_cell", "rowid"]
    /// SQLite's limit is 2000 columns.
    private static let widest = 2000 - origin.count

    /// - Parameter width: The values of the widest row that is expected.
    init(_ target: SalvageTarget, width: Int, _ encoding: TextEncoding) {
        self.target = target
        self.encoding = encoding
        self.width = min(width, Self.widest)
    }

    /// - Parameters:
    ///   - table: The row's table, if it is known.
    ///   - cell: The row's place among those of its page, from 0.
    func add(_ values: [StoredValue], rowID: Int64?, of table: String? = nil, from page: UInt32, cell: Int) throws {
        let shape = try shape(for: values.count)
        let origin: [StoredValue] = [
            table.map { .text(Array($0.utf8)) } ?? .null, .integer(Int64(page)),
            .integer(Int64(cell)), rowID.map { .integer($0) } ?? .null,
        ]
        let outcome = try target.insert(origin + values.prefix(width), rowID: nil, into: shape, encoding)
        guard outcome == .inserted else {
            throw LockstepError(
                .damaged, "a row of page \(page) cannot be kept in \(shape.name)",
                hint: "check the free memory, and run the salvage again")
        }
        report?.rows += 1
    }

    private func shape(for count: Int) throws -> TableShape {
        guard let shape else {
            width = max(width, min(count, Self.widest))
            return try create()
        }
        guard count > width, width < Self.widest else { return shape }
        for number in width..<min(count, Self.widest) {
            try target.run("ALTER TABLE \(shape.name) ADD COLUMN c\(number)")
        }
        width = min(count, Self.widest)
        return remember(shape.name)
    }

    private func create() throws -> TableShape {
        var name = "lost_and_found"
        var number = 0
        while try target.hasTable(name) {
            number += 1
            name = "lost_and_found_\(number)"
        }
        try target.run("CREATE TABLE \(name) (\(columns.joined(separator: ", ")))")
        report = SalvageReport.LostAndFound(table: name)
        return remember(name)
    }

    private var columns: [String] { Self.origin + (0..<width).map { "c\($0)" } }

    private func remember(_ name: String) -> TableShape {
        let shape = TableShape(
            name: name, fields: columns.map { TableShape.Field(name: $0, affinity: .blob) },
            hasRowIDs: true, rowIDName: nil)
        self.shape = shape
        return shape
    }
}
