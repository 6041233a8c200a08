public import SystemPackage

/// The content that a salvage recovered, and the content that it did not.
public struct SalvageReport: Sendable, Hashable {
    /// The result for one table.
    public struct Table: Sendable, Hashable {
        /// Its name.
        public let name: String
        /// Rows that are in the new database.
        public internal(set) var rows = 0
        /// Of these, rows on pages that nothing led to: the pages were attributed by their content.
        public internal(set) var rowsFoundByContent = 0
        /// Rows from an older version of their page, because the newest in the write-ahead log is damaged. They
        /// can be older than the others, or have been deleted since.
        public internal(set) var rowsOfOlderVersions = 0
        /// Unreadable pages of the table, as far as their table is known.
        public internal(set) var unreadablePages = 0
        /// Rows lost because a part of them was on an unreadable page.
        public internal(set) var rowsWithBrokenOverflow = 0
        /// Rows lost because they broke the file format on a page that verified.
        public internal(set) var malformedRows = 0
        /// Rows found a second time under the same key. The first was kept.
        public internal(set) var duplicateRows = 0
        /// Rows that the table's own constraints refused.
        public internal(set) var refusedRows = 0
        /// Rows on the pages of its tree.
        var rowsInTree = 0
        /// Whether a part of the tree was unreachable.
        var hasGaps = false

        init(name: String) { self.name = name }

        /// Whether the new database has exactly the rows that the table had.
        public var isComplete: Bool {
            !hasGaps && unreadablePages == 0 && rowsOfOlderVersions == 0 && rowsWithBrokenOverflow == 0
                && malformedRows == 0 && duplicateRows == 0 && refusedRows == 0
        }
    }

    /// A part of the schema that the new database lacks or that does not work there.
    public struct Failure: Sendable, Hashable {
        /// Type and name, such as `index by_title`.
        public let object: String
        /// Why.
        public let reason: String
    }

    /// Rows that refer to missing rows.
    public struct Orphans: Sendable, Hashable {
        /// The table of the rows.
        public let table: String
        /// The table that they refer to.
        public let parent: String
        /// How many.
        public let rows: Int
    }

    /// What a copy that was set aside with a damaged log has added.
    public struct SetAside: Sendable, Hashable {
        /// The copy.
        public let copy: FilePath
        /// Rows that the database itself lacked.
        public internal(set) var rows = 0
        /// Rows whose table is unknown, or whose key another row has, if there are any.
        public internal(set) var lostAndFound: LostAndFound?
        /// Whether no page of it verifies: the database has had another key since.
        public internal(set) var isUnreadable = false

        init(copy: FilePath) { self.copy = copy }
    }

    /// Rows whose table is unknown, and rows that their table does not take: another row has their key, or a constraint
    /// refuses them.
    public struct LostAndFound: Sendable, Hashable {
        /// The table in the new database that holds them: the name of their table if it is known, their page and their
        /// place in it, their rowid, and their values. Where the schema is incomplete, entries of indexes can be among
        /// them, since these look like the rows of tables WITHOUT ROWID.
        public let table: String
        /// How many.
        public internal(set) var rows = 0

        init(table: String) { self.table = table }
    }

    /// When the salvage began, and how long it took.
    public internal(set) var time = JobTime()
    /// The tables, in the order of their creation.
    public internal(set) var tables: [Table] = []
    /// The number of pages examined.
    public internal(set) var pages = 0
    /// Numbers of the pages without a version that verifies, ascending.
    public internal(set) var damagedPages: [UInt32] = []
    /// Of these, the pages whose table is unknown.
    public internal(set) var unplacedDamagedPages: [UInt32] = []
    /// Numbers of the pages whose newest version in the log is damaged while an older one verifies.
    public internal(set) var outdatedPages: [UInt32] = []
    /// Pages in the write-ahead log that do not verify or cannot be identified.
    public internal(set) var unreadableFrames = 0
    /// Whether there is a write-ahead log of which nothing is readable.
    public internal(set) var isLogUnreadable = false
    /// Pages missing at the end of the file.
    public internal(set) var missingPages = 0
    /// Bytes after the last whole page.
    public internal(set) var strayBytes = 0
    /// Pages that verify, but that nothing leads to and whose table is unknown: structure without rows, parts
    /// of lost rows, and, if the freelist is unreadable, free pages.
    public internal(set) var unattributedPages: [UInt32] = []
    /// Rows whose table is unknown, if there are any.
    public internal(set) var lostAndFound: LostAndFound?
    /// The copies that opening has set aside with a damaged log, the oldest first.
    public internal(set) var setAside: [SetAside] = []
    /// Whether the schema was read from a page 1 that does not verify.
    public internal(set) var isSchemaUnverified = false
    /// Whether parts of the schema are missing.
    public internal(set) var isSchemaIncomplete = false
    /// Whether the free pages are unknown. Then rows deleted long ago can be among those found by content.
    public internal(set) var isFreeListUnreadable = false
    /// Objects that could not be created again, or not completely.
    public internal(set) var failures: [Failure] = []
    /// Rows that refer to missing rows.
    public internal(set) var orphans: [Orphans] = []
    /// What contradicts itself in the damaged file although its pages verify: an index that leads to more or fewer rows
    /// than its table has, rows out of order, pages that nothing leads to. Then rows can be missing, or be older ones.
    public internal(set) var inconsistencies: [String] = []

    /// Whether the new database has everything that the damaged one had.
    public var isComplete: Bool {
        tables.allSatisfy(\.isComplete) && failures.isEmpty && unplacedDamagedPages.isEmpty
            && outdatedPages.isEmpty && unreadableFrames == 0 && !isLogUnreadable
            && setAside.allSatisfy { $0.lostAndFound == nil && !$0.isUnreadable } && missingPages == 0
            && lostAndFound == nil && !isSchemaUnverified && !isSchemaIncomplete && inconsistencies.isEmpty
    }

    /// Rows in the new database, including those whose table is unknown and those of the shadow tables of a
    /// full-text index.
    public var rows: Int {
        let added = setAside.reduce(0) { $0 + $1.rows + ($1.lostAndFound?.rows ?? 0) }
        return tables.reduce((lostAndFound?.rows ?? 0) + added) { $0 + $1.rows }
    }
}

extension SalvageReport: CustomStringConvertible {
    /// The report as text, one sentence per line.
    public var description: String {
        var lines = [
            isComplete
                ? "Recovered everything: \(count(rows, "row")) in \(count(tables.count, "table"))."
                : "Recovered only a part: \(count(rows, "row")) in \(count(tables.count, "table"))."
        ]
        lines += tables.map(sentence)
        lines += pageSentences
        if isSchemaUnverified {
            lines.append("The schema was read from a page 1 that does not verify: check it.")
        }
        if isSchemaIncomplete { lines.append("Parts of the schema are missing.") }
        if let lostAndFound {
            lines.append(
                "In \(lostAndFound.table): \(count(lostAndFound.rows, "row")) of unknown tables, or that their tables do not take."
            )
        }
        lines += inconsistencies.map { "The damaged file contradicts itself: \($0)." }
        lines += setAside.map(sentence)
        lines += failures.map { "\($0.object) is missing or damaged: \($0.reason)." }
        lines += orphans.map {
            "\($0.table): \(count($0.rows, "row")) without the referenced row in \($0.parent)."
        }
        return lines.joined(separator: "\n")
    }

    private func sentence(_ copy: SetAside) -> String {
        guard !copy.isUnreadable else {
            return "\(copy.copy), set aside with a damaged log, does not open with this key."
        }
        let lost = copy.lostAndFound.map { ", \(count($0.rows, "row")) in \($0.table)" } ?? ""
        return "From \(copy.copy), set aside with a damaged log: \(count(copy.rows, "row"))\(lost)."
    }

    private func sentence(_ table: Table) -> String {
        guard !table.isComplete else {
            return "\(table.name): \(count(table.rows, "row")), complete."
        }
        var parts = ["\(count(table.rows, "row")) recovered"]
        func add(_ number: Int, _ what: String, _ rest: String) {
            if number > 0 { parts.append("\(count(number, what)) \(rest)") }
        }
        add(table.rowsFoundByContent, "of these", "found by their content")
        add(table.rowsOfOlderVersions, "of these", "from older page versions")
        add(table.unreadablePages, "page", "unreadable")
        add(table.rowsWithBrokenOverflow, "row", "lost because a part was on an unreadable page")
        add(table.malformedRows, "row", "malformed")
        add(table.duplicateRows, "row", "skipped as duplicate")
        add(table.refusedRows, "row", "refused by the table's constraints")
        if table.hasGaps, table.unreadablePages == 0 { parts.append("a part was unreachable") }
        return "\(table.name): \(parts.joined(separator: ", "))."
    }

    private var pageSentences: [String] {
        var lines: [String] = []
        func add(_ pages: [UInt32], _ what: String) {
            guard !pages.isEmpty else { return }
            lines.append("\(what): \(pages.pageList).")
        }
        add(damagedPages, "Of \(count(pages, "page")), these do not verify")
        add(unplacedDamagedPages, "Damaged pages whose table is unknown")
        add(outdatedPages, "Pages readable only in an older version")
        add(unattributedPages, "Pages that verify but belong to no known table")
        if unreadableFrames > 0 {
            lines.append(
                "\(count(unreadableFrames, "unreadable page")) in the write-ahead log.")
        }
        if isLogUnreadable { lines.append("Nothing in the write-ahead log can be read.") }
        if missingPages > 0 { lines.append("The file ends \(count(missingPages, "page")) early.") }
        if strayBytes > 0 {
            lines.append("\(count(strayBytes, "byte")) after the last whole page.")
        }
        if isFreeListUnreadable {
            lines.append("The free pages are unknown: the rows found can include deleted ones.")
        }
        return lines
    }

    private func count(_ number: Int, _ noun: String) -> String {
        noun == "of these" ? "\(number) \(noun)" : counted(number, noun)
    }
}
