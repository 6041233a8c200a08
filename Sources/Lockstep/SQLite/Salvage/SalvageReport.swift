/// What a salvage brought back, and what it could not.
public struct SalvageReport: Sendable, Hashable {
    /// What became of one table.
    public struct Table: Sendable, Hashable {
        /// Its name.
        public let name: String
        /// Rows that are in the new database.
        public internal(set) var rows = 0
        /// Those among them whose page nothing led to any more: it was known by its content.
        public internal(set) var rowsFoundByContent = 0
        /// Rows from an older version of their page, where the newest in the write-ahead log is damaged.
        /// They may be older than the others, or have been deleted since.
        public internal(set) var rowsOfOlderVersions = 0
        /// Pages of the table that could not be read, as far as it is known whose they were.
        public internal(set) var unreadablePages = 0
        /// Rows lost because a part of them was on a page that could not be read.
        public internal(set) var rowsWithBrokenOverflow = 0
        /// Rows lost because they broke the file format on a page that verified.
        public internal(set) var malformedRows = 0
        /// Rows that came up a second time under the same key; the first was kept.
        public internal(set) var duplicateRows = 0
        /// Rows that the table's own constraints refused.
        public internal(set) var refusedRows = 0
        /// Whether a part of the tree could not be reached.
        var hasGaps = false

        init(name: String) { self.name = name }

        /// Whether every row that the table had is in the new database, and no other.
        public var isComplete: Bool {
            !hasGaps && unreadablePages == 0 && rowsOfOlderVersions == 0
                && rowsWithBrokenOverflow == 0 && malformedRows == 0 && duplicateRows == 0
                && refusedRows == 0
        }
    }

    /// A part of the schema that the new database lacks, or that does not work there.
    public struct Failure: Sendable, Hashable {
        /// Type and name, such as `index by_title`.
        public let object: String
        /// Why.
        public let reason: String
    }

    /// Rows that refer to rows which are not there.
    public struct Orphans: Sendable, Hashable {
        /// The table of the rows.
        public let table: String
        /// The table they refer to.
        public let parent: String
        /// How many.
        public let rows: Int
    }

    /// Rows whose table could not be told.
    public struct LostAndFound: Sendable, Hashable {
        /// The table in the new database that holds them, with the page they were on.
        public let table: String
        /// How many.
        public internal(set) var rows = 0
    }

    /// The tables, in the order in which they were made.
    public internal(set) var tables: [Table] = []
    /// Pages that were looked at.
    public internal(set) var pages = 0
    /// Numbers of the pages of which no version verifies, ascending.
    public internal(set) var damagedPages: [UInt32] = []
    /// Those among them of which it is not known whose they were.
    public internal(set) var unplacedDamagedPages: [UInt32] = []
    /// Numbers of the pages whose newest version in the log is damaged, and an older one verifies.
    public internal(set) var outdatedPages: [UInt32] = []
    /// Pages in the write-ahead log that do not verify or cannot be recognised.
    public internal(set) var unreadableFrames = 0
    /// Whether there is a write-ahead log of which nothing can be read.
    public internal(set) var isLogUnreadable = false
    /// Pages that the file should have and ends before.
    public internal(set) var missingPages = 0
    /// Bytes behind the last whole page.
    public internal(set) var strayBytes = 0
    /// Pages that verify, but nothing leads to them and no table could be told: structure without rows,
    /// parts of rows that were lost, and, where the freelist is unreadable, free pages.
    public internal(set) var unattributedPages: [UInt32] = []
    /// Rows whose table could not be told, if there are any.
    public internal(set) var lostAndFound: LostAndFound?
    /// Whether the schema was read from a page 1 that does not verify.
    public internal(set) var isSchemaUnverified = false
    /// Whether parts of the schema are missing.
    public internal(set) var isSchemaIncomplete = false
    /// Whether it is not known which pages were free: rows deleted long ago may be among those found by
    /// their content.
    public internal(set) var isFreeListUnreadable = false
    /// Objects that could not be made again, or not in full.
    public internal(set) var failures: [Failure] = []
    /// Rows without the row that they refer to.
    public internal(set) var orphans: [Orphans] = []

    /// Whether the new database has everything that the damaged one had.
    public var isComplete: Bool {
        tables.allSatisfy(\.isComplete) && failures.isEmpty && unplacedDamagedPages.isEmpty
            && outdatedPages.isEmpty && unreadableFrames == 0 && !isLogUnreadable
            && missingPages == 0 && lostAndFound == nil && !isSchemaUnverified
            && !isSchemaIncomplete
    }

    /// Rows in the new database, those whose table could not be told included, and those of the tables
    /// that a full-text index keeps its content in.
    public var rows: Int { tables.reduce(lostAndFound?.rows ?? 0) { $0 + $1.rows } }
}

extension SalvageReport: CustomStringConvertible {
    /// The report for people, a sentence a line.
    public var description: String {
        var lines = [
            isComplete
                ? "Everything came back: \(count(rows, "row")) in \(count(tables.count, "table"))."
                : "Not everything came back: \(count(rows, "row")) in \(count(tables.count, "table"))."
        ]
        lines += tables.map(sentence)
        lines += pageSentences
        if isSchemaUnverified {
            lines.append("The schema was read from a page 1 that does not verify: check it.")
        }
        if isSchemaIncomplete { lines.append("Parts of the schema are missing.") }
        if let lostAndFound {
            lines.append(
                "In \(lostAndFound.table): \(count(lostAndFound.rows, "row")) of unknown tables."
            )
        }
        lines += failures.map { "\($0.object) is missing or damaged: \($0.reason)." }
        lines += orphans.map {
            "\($0.table): \(count($0.rows, "row")) without the row of \($0.parent) that it refers to."
        }
        return lines.joined(separator: "\n")
    }

    private func sentence(_ table: Table) -> String {
        guard !table.isComplete else {
            return "\(table.name): \(count(table.rows, "row")), complete."
        }
        var parts = ["\(count(table.rows, "row")) came back"]
        func add(_ number: Int, _ what: String, _ rest: String) {
            if number > 0 { parts.append("\(count(number, what)) \(rest)") }
        }
        add(table.rowsFoundByContent, "of these", "found by their content")
        add(table.rowsOfOlderVersions, "of these", "of an older version")
        add(table.unreadablePages, "page", "unreadable")
        add(table.rowsWithBrokenOverflow, "row", "lost with a part on an unreadable page")
        add(table.malformedRows, "row", "malformed")
        add(table.duplicateRows, "row", "left out as duplicates")
        add(table.refusedRows, "row", "refused by the table's constraints")
        if table.hasGaps, table.unreadablePages == 0 { parts.append("a part was out of reach") }
        return "\(table.name): \(parts.joined(separator: ", "))."
    }

    private var pageSentences: [String] {
        var lines: [String] = []
        func add(_ pages: [UInt32], _ what: String) {
            guard !pages.isEmpty else { return }
            let shown = pages.prefix(20).map(String.init).joined(separator: ", ")
            let more = pages.count > 20 ? " and \(pages.count - 20) more" : ""
            lines.append("\(what): \(shown)\(more).")
        }
        add(damagedPages, "Of \(count(pages, "page")) these do not verify")
        add(unplacedDamagedPages, "Of these it is not known whose they were")
        add(outdatedPages, "Pages that could be read only in an older version")
        add(unattributedPages, "Pages that verify, but nothing leads to them")
        if unreadableFrames > 0 {
            lines.append(
                "\(count(unreadableFrames, "unreadable page")) in the write-ahead log.")
        }
        if isLogUnreadable { lines.append("Nothing in the write-ahead log can be read.") }
        if missingPages > 0 { lines.append("The file ends \(count(missingPages, "page")) early.") }
        if strayBytes > 0 {
            lines.append("\(count(strayBytes, "byte")) behind the last whole page.")
        }
        if isFreeListUnreadable {
            lines.append("Which pages were free is unknown: deleted rows may be among those found.")
        }
        return lines
    }

    private func count(_ number: Int, _ noun: String) -> String {
        noun == "of these" ? "\(number) \(noun)" : counted(number, noun)
    }
}
