import SystemPackage
import TestSupport

/// The table of the article SecretsInMemory: the number of copies of each secret in a process.
struct MemoryTable {
    /// The process whose copies a column counts.
    enum Process: Int, Sendable {
        case program = 1
        case tool = 2
    }

    private let rows: [(name: String, copies: [Int])]

    /// Reads the article.
    init() throws {
        let article = Programs.package.appending("Sources/Lockstep/Lockstep.docc/SecretsInMemory.md")
        let text = String(decoding: try Bytes.read(article), as: UTF8.self)
        rows = text.split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|", omittingEmptySubsequences: true)
                .map { String($0).trimmed }
            let copies = cells.dropFirst().prefix(2).compactMap { Int($0) }
            return copies.count == 2 ? (cells[0], copies) : nil
        }
    }

    /// The deviations from the table: a secret with another number of copies, one in memory that is not locked or not
    /// excluded from dumps, one that only the search knows, one that only the table has.
    func differences(
        _ process: Process, _ known: KnownSecrets, _ places: [String: [MemoryPlace]]
    ) -> [String] {
        var differences: [String] = []
        for (name, copies) in rows {
            let expected = copies[process.rawValue - 1]
            let found = places[name] ?? []
            let pieces = Dictionary(grouping: found, by: \.piece)
            let count = pieces.values.map(\.count).max() ?? 0
            if known.masked[name] == nil { differences.append("\(name): nobody looks for it") }
            if count != expected {
                differences.append("\(name): \(count) copies instead of \(expected): \(found)")
            }
            let open = found.filter { !$0.region.isLocked || !$0.region.isUndumped }
            if !open.isEmpty { differences.append("\(name): in the open: \(open)") }
        }
        let names = Set(rows.map(\.name))
        for name in known.masked.keys.sorted() where !names.contains(name) {
            differences.append("\(name): the table does not have it")
        }
        return differences
    }
}

extension String {
    fileprivate var trimmed: String {
        var text = Substring(self)
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
