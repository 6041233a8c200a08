import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Salvage: rows")
struct SalvageTests {
    private let salvage: SalvageScratch
    private var forge: PageForge { salvage.forge }

    init() throws { salvage = try SalvageScratch() }

    /// The rows that are not on these pages.
    private func rows(_ rows: [Int: String], without pages: Int...) throws -> [Int: String] {
        var left = rows
        for page in pages {
            for id in try forge.markers(Array(rows.keys), on: page) { left[id] = nil }
        }
        return left
    }

    @Test("An undamaged database is recovered completely, and the report says so")
    func undamaged() throws {
        let rows = try salvage.fill(rows: 500)
        let report = try salvage.salvage()
        #expect(report.isComplete && report.rows == 500 && report.damagedPages == [])
        #expect(report.unattributedPages == [] && report.failures == [] && report.orphans == [])
        #expect(try salvage.rows() == rows)
        #expect(report.description.hasPrefix("Recovered everything: 500 rows in 1 table."))
        let plan: String? = try salvage.openNew().query(
            "EXPLAIN QUERY PLAN SELECT id FROM item WHERE number = 7"
        ) { row in try row[3] as String }.first
        #expect(plan?.contains("by_number") == true)
    }

    @Test("From a table with a damaged leaf, exactly the rows on other pages are recovered") func leaf() throws {
        let rows = try salvage.fill(rows: 500)
        let leaves = try forge.pages(ofKind: 13).filter { $0 > 1 }
        let leaf = leaves[leaves.count / 2]
        let left = try self.rows(rows, without: leaf)
        try forge.damage(leaf)
        let report = try salvage.salvage()
        #expect(left.count < 500 && left.count > 450)
        #expect(try salvage.rows() == left)
        let table = try report.table("item")
        #expect(table.rows == left.count && table.unreadablePages == 1 && !table.isComplete)
        #expect(table.rowsFoundByContent == 0)
        #expect(report.damagedPages == [UInt32(leaf)] && report.unplacedDamagedPages == [])
        #expect(!report.isComplete && report.unattributedPages == [])
    }

    @Test("Without its root, a table's leaves are recognised by their content")
    func root() throws {
        let rows = try salvage.fill(rows: 500)
        let root = try salvage.root(of: "item")
        try forge.damage(root)
        let report = try salvage.salvage()
        #expect(try salvage.rows() == rows)
        let table = try report.table("item")
        #expect(table.rowsFoundByContent == 500 && table.unreadablePages == 1)
        #expect(!table.isComplete)
        #expect(report.lostAndFound == nil && report.unattributedPages == [])
    }

    @Test("Without an interior page, the leaves below are recognised by the rowids it covered") func interior() throws {
        // Two rows per leaf, and enough leaves for interior pages below the root.
        let rows = try salvage.fill(rows: 1200, length: 1900)
        let root = try salvage.root(of: "item")
        let interior = try forge.pages(ofKind: 5).filter { $0 != root }
        #expect(interior.count >= 2)
        try forge.damage(interior[0])
        let report = try salvage.salvage()
        #expect(try salvage.rows() == rows)
        let table = try report.table("item")
        #expect(table.rowsFoundByContent > 300 && table.rowsFoundByContent < 1200)
        #expect(table.unreadablePages == 1)
    }

    @Test("A stale page count hides no pages", arguments: [true, false])
    func stalePageCount(isKept: Bool) throws {
        let rows = try salvage.fill(rows: 500)
        let root = try salvage.root(of: "item")
        let pages = try forge.pages
        try forge.damage(root)
        try forge.change(1) { page in
            PageForge.put(root, at: 28, into: &page)
            // Where the numbers differ, the count is older than the last change.
            let counter = PageForge.word(page, at: 24)
            PageForge.put(isKept ? counter : counter - 1, at: 92, into: &page)
        }
        let report = try salvage.salvage()
        #expect(report.pages == (isKept ? root : pages))
        #expect(try salvage.rows() == (isKept ? [:] : rows))
    }

    @Test("Pages of two tables with the same columns go where their rowids belong")
    func byRowIDs() throws {
        let rows = try salvage.fill(rows: 1200, length: 1900)
        do {
            let connection = try salvage.scratch.open()
            try connection.execute("CREATE TABLE other (id INTEGER PRIMARY KEY, body TEXT NOT NULL, number INTEGER)")
            try connection.execute("INSERT INTO other SELECT id + 100000, body, number FROM item")
        }
        let roots = try [salvage.root(of: "item"), salvage.root(of: "other")]
        let interior = try forge.pages(ofKind: 5).filter { !roots.contains($0) }
        // Alternating inserts: those of the second table were made later.
        try forge.damage(try #require(interior.first), try #require(interior.last))
        let report = try salvage.salvage()
        #expect(try salvage.rows() == rows)
        let other: Int? = try salvage.openNew().value("SELECT count(*) FROM other")
        #expect(other == 1200)
        #expect(try report.table("item").rowsFoundByContent > 0)
        #expect(try report.table("other").rowsFoundByContent > 0)
        #expect(report.lostAndFound == nil)
    }

    @Test("Rows that fit two tables go into a table of their own")
    func ambiguous() throws {
        let connection = try salvage.scratch.create()
        for table in ["one", "two"] {
            try connection.execute("CREATE TABLE \(verbatim: table) (id INTEGER PRIMARY KEY, body TEXT)")
        }
        try connection.write { connection in
            for id in 1...200 {
                let text = SalvageScratch.text(id, length: 200)
                try connection.execute("INSERT INTO one VALUES (?, ?)", id, text)
                try connection.execute("INSERT INTO two VALUES (?, ?)", id, text + "2")
            }
        }
        let (one, two) = try (salvage.root(of: "one"), salvage.root(of: "two"))
        _ = consume connection
        try forge.damage(one, two)
        let report = try salvage.salvage()
        #expect(report.lostAndFound?.rows == 400 && report.rows == 400)
        #expect(try report.table("one").rows == 0)
        let found = try salvage.openNew().query(
            "SELECT rowid, c0, c1 FROM lost_and_found WHERE origin_page > 1"
        ) { row in
            #expect(try row.isNull(1))
            return "\(try row[0] as Int)\(try row[2] as String)"
        }
        let expected = (1...200).flatMap { id in
            ["", "2"].map { "\(id)\(SalvageScratch.text(id, length: 200))\($0)" }
        }
        #expect(found.sorted() == expected.sorted())
    }

    @Test("A page goes to a torn table only if no other can have it")
    func byContent() throws {
        do {
            let connection = try salvage.scratch.create()
            for definition in ["strict (x TEXT NOT NULL)", "loose (x)", "wide (x, y, z)"] {
                try connection.execute("CREATE TABLE \(verbatim: definition)")
            }
            try connection.write { connection in
                for id in 1...200 {
                    let text = SalvageScratch.text(id, length: 200)
                    try connection.execute("INSERT INTO strict VALUES (?)", text)
                    // None of these pages can belong to the strict table.
                    try connection.execute(
                        "INSERT INTO loose VALUES (?)", id % 5 == 0 ? nil : text)
                    try connection.execute("INSERT INTO wide VALUES (?, ?, 3)", id, text)
                }
            }
        }
        try forge.damage(salvage.root(of: "loose"))
        try forge.damage(salvage.root(of: "wide"))
        let strict = try salvage.root(of: "strict")
        try forge.damage(strict)
        let report = try salvage.salvage()
        #expect(try report.table("wide").rows == 200)
        // These can belong to the wide table, from before its columns were added, and some to the strict one.
        #expect(try report.table("loose").rows == 0 && report.table("strict").rows == 0)
        #expect(report.lostAndFound?.rows == 400)
    }

    @Test("A damaged page of an index costs nothing")
    func index() throws {
        let rows = try salvage.fill(rows: 2000, length: 60)
        let leaf = try #require(forge.pages(ofKind: 10).first)
        try forge.damage(leaf)
        try forge.damage(salvage.root(of: "by_number"))
        let report = try salvage.salvage()
        #expect(try salvage.rows() == rows)
        #expect(try report.table("item").isComplete && report.damagedPages.count == 2)
        #expect(report.isComplete, "\(report)")
        #expect(try salvage.openNew().value("SELECT id FROM item WHERE number = 700", as: Int.self) == 100)
    }

    @Test("A row whose overflow page is damaged is lost, and counted")
    func overflow() throws {
        let rows = try salvage.fill(rows: 20, length: 30_000)
        // A page in the middle of a chain: it begins with the next one's number, then only filling.
        let overflow = try (2...forge.pages).filter { number in
            let page = try forge.plain(number)
            return page[0] == 0 && PageForge.word(page, at: 0) > 0
                && page[100...].allSatisfy {
                    $0 == 0xC3 || $0 == 0xA5
                }
        }
        #expect(overflow.count > 50)
        try forge.damage(overflow[3])
        let report = try salvage.salvage()
        let table = try report.table("item")
        #expect(table.rowsWithBrokenOverflow == 1 && table.rows == 19)
        #expect(table.unreadablePages == 1 && report.unplacedDamagedPages == [])
        let back = try salvage.rows()
        #expect(back.count == 19 && back.allSatisfy { rows[$0.key] == $0.value })
        // The rest of the chain verifies, but is useless.
        #expect(!report.unattributedPages.isEmpty)
    }

    @Test("Damage in several places at once")
    func several() throws {
        let rows = try salvage.fill(rows: 2000)
        let leaves = try forge.pages(ofKind: 13).filter { $0 > 1 }
        let left = try self.rows(rows, without: leaves[1], leaves[20], leaves[21])
        try forge.damage(leaves[1], leaves[20], leaves[21], salvage.root(of: "item"))
        let report = try salvage.salvage()
        #expect(try salvage.rows() == left)
        #expect(try report.table("item").unreadablePages == 4)
        #expect(report.unplacedDamagedPages == [])
    }

    @Test("A file that was cut off in the middle of a page", arguments: [1, 2000, 4095])
    func truncated(_ rest: Int) throws {
        let rows = try salvage.fill(rows: 1000)
        let pages = try forge.pages
        let kept = pages / 2
        var left: [Int: String] = [:]
        for page in 2...kept {
            for id in try forge.markers(Array(rows.keys), on: page) { left[id] = rows[id] }
        }
        try salvage.scratch.damage { $0.removeLast($0.count - kept * 4096 - rest) }
        let report = try salvage.salvage()
        #expect(try salvage.rows() == left)
        #expect(report.missingPages == pages - kept && report.strayBytes == rest)
        #expect(!report.isComplete && !left.isEmpty)
    }

    @Test("Deleted rows are not recovered", arguments: [false, true])
    func deleted(_ losesRoot: Bool) throws {
        var rows = try salvage.fill(rows: 2000)
        do {
            let connection = try salvage.scratch.open()
            try connection.execute("PRAGMA secure_delete = OFF")
            try connection.execute("DELETE FROM item WHERE id BETWEEN 300 AND 900 OR id % 5 = 0")
        }
        rows = rows.filter { !(300...900).contains($0.key) && $0.key % 5 != 0 }
        // Deleted data is still in free pages.
        let leftOver = try (2...forge.pages).contains { page in
            try !forge.markers(Array(301...899), on: page).isEmpty
        }
        #expect(leftOver)
        if losesRoot { try forge.damage(salvage.root(of: "item")) }
        let report = try salvage.salvage()
        #expect(try salvage.rows() == rows)
        #expect(!report.isFreeListUnreadable)
        #expect(report.isComplete != losesRoot, "\(report)")
    }

    @Test("Empty tables, and a database of one page")
    func empty() throws {
        do {
            let connection = try salvage.scratch.create()
            try connection.setHeaderField("user_version", 7)
        }
        #expect(try forge.pages == 1)
        let report = try salvage.salvage()
        #expect(report.isComplete && report.tables == [] && report.pages == 1)
        #expect(try salvage.openNew().headerField("user_version") == 7)

        let other = try SalvageScratch()
        do { try other.scratch.create().execute("CREATE TABLE a (x)") }
        #expect(try other.salvage().isComplete)
        #expect(try other.openNew().value("SELECT count(*) FROM a") == 0)
    }

    @Test(
        "Auto-vacuum files, whose pointer maps are not rows",
        arguments: [false, true])
    func autoVacuum(_ losesRoot: Bool) throws {
        let rows = try salvage.fill(rows: 2000)
        do {
            let connection = try salvage.scratch.open()
            try connection.execute("PRAGMA auto_vacuum = FULL")
            try connection.vacuum()
            #expect(try connection.headerField("auto_vacuum") == 1)
        }
        if losesRoot { try forge.damage(salvage.root(of: "item")) }
        let report = try salvage.salvage()
        #expect(try salvage.rows() == rows)
        #expect(report.unattributedPages == [] && report.lostAndFound == nil)
        #expect(report.isComplete != losesRoot, "\(report)")
    }

    @Test(
        "Texts in UTF-16", .enabled(if: SQLCipherShell.isPresent, SQLCipherShell.missing),
        arguments: ["UTF-16le", "UTF-16be"])
    func utf16(_ encoding: String) throws {
        let key = [UInt8](repeating: 1, count: 32)
        _ = try SQLCipherShell.run(
            """
            PRAGMA encoding = '\(encoding)';
            CREATE TABLE "sütze" (a TEXT, b DEFAULT 'ö€');
            INSERT INTO "sütze" VALUES ('grün 𝄞', 1), ('', 2), (NULL, 'x');
            ALTER TABLE "sütze" ADD COLUMN c TEXT DEFAULT 'ß';
            """, on: salvage.scratch.path, key: key)
        try forge.damage(2)
        #expect(try salvage.salvage().rows == 0)
        AtomicFile.remove(salvage.target)
        try forge.damage(2)
        #expect(try salvage.salvage().isComplete)
        let rows = try salvage.openNew().query("SELECT a, b, c FROM \"sütze\"") { row in
            [try row[0] as Value, try row[1], try row[2]]
        }
        #expect(
            rows == [
                [.text("grün 𝄞"), .integer(1), .text("ß")], [.text(""), .integer(2), .text("ß")],
                [.null, .text("x"), .text("ß")],
            ])
    }

    @Test(
        "No file contains plaintext during salvage",
        .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/fd"), "there is no /proc"))
    func plaintext() throws {
        let marker = "marker-\(UUID().uuidString)"
        try salvage.fill(rows: 2000)
        try salvage.scratch.open().execute("UPDATE item SET body = body || ?", marker)
        try forge.damage(salvage.root(of: "item"))
        let watch = PlaintextWatch(salvage.scratch.folder.path, marker)
        while watch.searches < 5 {
            try salvage.salvage()
            AtomicFile.remove(salvage.target)
        }
        #expect(watch.stop() == [])
        #expect(try PlaintextSearch(salvage.scratch.folder.path).places(of: marker) == [])
    }

    @Test("The page that SQLite reserves for locks is the one after the first gigabyte")
    func lockPage() { #expect(Profile.current.lockPage == 262_145) }
}
