/// Rows as aligned columns. The first rows determine the widths; later rows are written as they arrive, so that a table
/// of any length needs little memory.
struct TableWriter {
    private static let measuredRows = 1000
    /// Limits the memory for rows with large values.
    private static let measuredBytes = 1024 * 1024
    private static let widest = 60

    private var waiting: [[String]]
    private var waitingBytes = 0
    private var widths: [Int]?

    init(header: [String]) { waiting = [header] }

    mutating func add(_ row: [String]) {
        guard widths == nil else { return write(row) }
        waiting.append(row)
        for cell in row { waitingBytes += cell.utf8.count }
        if waiting.count > Self.measuredRows || waitingBytes > Self.measuredBytes { flush() }
    }

    /// Writes the remaining rows.
    mutating func finish() { flush() }

    private mutating func flush() {
        guard widths == nil, let header = waiting.first else { return }
        widths = header.indices.map { column in
            min(waiting.map { $0[column].count }.max() ?? 0, Self.widest)
        }
        for row in waiting { write(row) }
        waiting = []
    }

    private func write(_ row: [String]) {
        let cells = zip(row, widths ?? []).map { cell, width in
            cell + String(repeating: " ", count: max(0, width - cell.count))
        }
        var line = cells.joined(separator: "  ")
        while line.last == " " { line.removeLast() }
        Output.line(line)
    }
}
