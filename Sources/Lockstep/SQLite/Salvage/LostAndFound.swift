/// The table of a new database that holds the rows whose place in it is unknown or taken, with the page that each was on.
/// It is created for the first of them.
final class LostAndFound {
    private let target: SalvageTarget
    private let encoding: TextEncoding
    private let width: Int
    private var shape: TableShape?
    private(set) var report: SalvageReport.LostAndFound?

    /// - Parameter width: The values of the widest row. The table has no more than SQLite's limit of 2000 columns.
    init(_ target: SalvageTarget, width: Int, _ encoding: TextEncoding) {
        self.target = target
        self.encoding = encoding
        self.width = min(width, 1998)
    }

    func add(_ values: [StoredValue], rowID: Int64?, from page: UInt32) throws {
        let shape = try self.shape ?? create()
        let origin: [StoredValue] = [.integer(Int64(page)), rowID.map { .integer($0) } ?? .null]
        _ = try target.insert(origin + values.prefix(width), rowID: nil, into: shape, encoding)
        report?.rows += 1
    }

    private func create() throws -> TableShape {
        var name = "lost_and_found"
        var number = 0
        while try target.hasTable(name) {
            number += 1
            name = "lost_and_found_\(number)"
        }
        let columns = ["origin_page", "rowid"] + (0..<width).map { "c\($0)" }
        try target.run("CREATE TABLE \(name) (\(columns.joined(separator: ", ")))")
        let shape = TableShape(
            name: name, fields: columns.map { TableShape.Field(name: $0, affinity: .blob) },
            hasRowIDs: true, rowIDName: nil)
        self.shape = shape
        report = SalvageReport.LostAndFound(table: name)
        return shape
    }
}
