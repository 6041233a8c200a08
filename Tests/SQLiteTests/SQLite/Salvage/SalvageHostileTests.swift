import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Pages that verify but are inconsistent, as only a holder of the key, or a bug, can make them. None of them may crash
/// the program or keep it busy for ever, and everything that they do not affect is recovered.
@Suite("Salvage: hostile pages")
struct SalvageHostileTests {
    private let salvage: SalvageScratch
    private var forge: PageForge { salvage.forge }

    init() throws { salvage = try SalvageScratch() }

    private func put16(_ number: Int, _ offset: Int, _ page: inout [UInt8]) {
        page[offset] = UInt8(number >> 8)
        page[offset + 1] = UInt8(number & 255)
    }

    /// The offset of a page's first cell.
    private func cell(_ index: Int, _ page: [UInt8]) -> Int {
        let array = (page[0] == 13 || page[0] == 10 ? 8 : 12) + 2 * index
        return Int(page[array]) << 8 | Int(page[array + 1])
    }

    @Test("A forged page is read like one of SQLite", arguments: [1, 2, 3])
    func negativeControl(_ number: Int) throws {
        let rows = try salvage.fill(rows: 100)
        try forge.change(number) { _ in }
        #expect(try PageAudit(salvage.scratch.path).run(key: salvage.scratch.key()).isClean)
        #expect(try salvage.salvage().isComplete)
        #expect(try salvage.rows() == rows)
    }

    @Test("Circular chains of overflow pages", arguments: [0, 1, 2])
    func overflowCycle(_ form: Int) throws {
        let rows = try salvage.fill(rows: 10, length: 30_000)
        let leaf = try #require(forge.pages(ofKind: 13).first { try !forge.markers([5], on: $0).isEmpty })
        let page = try forge.plain(leaf)
        // The number of the next page follows the first cell's part of its payload.
        let first = try #require((2...forge.pages).first { try forge.plain($0)[0] == 0 })
        let second = PageForge.word(try forge.plain(first), at: 0)
        try forge.change(first) { page in
            PageForge.put([first, leaf, 0x7FFF_FFFF][form], at: 0, into: &page)
        }
        #expect(second > 0 && page[0] == 13)
        let report = try salvage.salvage()
        let table = try report.table("item")
        #expect(table.rowsWithBrokenOverflow == 1 && table.rows == 9)
        let back = try salvage.rows()
        #expect(back.count == 9 && back.allSatisfy { rows[$0.key] == $0.value })
    }

    @Test(
        "Children that refer to an ancestor, to each other, or to nothing", arguments: [0, 1, 2, 3])
    func childLoops(_ form: Int) throws {
        let rows = try salvage.fill(rows: 500)
        let root = try salvage.root(of: "item")
        let page = try forge.plain(root)
        let children = (0..<3).map { PageForge.word(page, at: cell($0, page)) }
        let lost = try forge.markers(Array(rows.keys), on: children[1])
        let target = [root, children[0], 1, 0][form]
        try forge.change(root) { PageForge.put(target, at: cell(1, page), into: &$0) }
        let report = try salvage.salvage()
        // The page itself verifies, but nothing refers to it: its content identifies it only if it cannot be another
        // table's leaf.
        let back = try salvage.rows()
        #expect(back == rows.filter { !lost.contains($0.key) })
        #expect(report.lostAndFound?.rows == lost.count)
        #expect(try !report.table("item").isComplete)
    }

    @Test("Two tables with one root, and impossible roots", arguments: [0, 1, 0x7FFF_FFFF])
    func roots(_ root: Int) throws {
        do {
            let connection = try salvage.scratch.create()
            try connection.execute("CREATE TABLE a (x TEXT)")
            try connection.execute("CREATE TABLE b (x TEXT)")
            try connection.execute("INSERT INTO a VALUES ('of a')")
            try connection.execute("INSERT INTO b VALUES ('of b')")
        }
        let (one, two) = try (salvage.root(of: "a"), salvage.root(of: "b"))
        for form in [one, root] {
            try forge.change(1) { page in
                // The root is the byte before the definition, or the 4 bytes before that.
                let sql = Array("CREATE TABLE b".utf8)
                let at = try #require(page.indices.first { page[$0...].starts(with: sql) })
                page[at - 1] = UInt8(form & 127)
            }
            let report = try salvage.salvage()
            #expect(try report.table("a").rows == 1 || report.lostAndFound != nil)
            #expect(report.rows == 2, "\(two): \(report)")
            AtomicFile.remove(salvage.target)
        }
    }

    @Test(
        "Cells outside the page, on its header, or more than fit", arguments: [0, 1, 2, 3])
    func cellPointers(_ form: Int) throws {
        let rows = try salvage.fill(rows: 500)
        let leaf = try #require(forge.pages(ofKind: 13).first { try !forge.markers([250], on: $0).isEmpty })
        let own = try forge.markers(Array(rows.keys), on: leaf)
        try forge.change(leaf) { page in
            switch form {
            case 0: put16(4015, 8, &page)
            case 1: put16(0xFFFF, 8, &page)
            case 2: put16(3, 8, &page)
            default: put16(0xFFFF, 3, &page)
            }
        }
        let report = try salvage.salvage()
        let back = try salvage.rows()
        let lost = rows.count - back.count
        #expect(lost == (form == 3 ? own.count : 1))
        #expect(back.allSatisfy { rows[$0.key] == $0.value })
        let table = try report.table("item")
        #expect(form == 3 ? table.unreadablePages == 1 : table.malformedRows == 1, "\(report)")
        #expect(!report.isComplete)
    }

    /// In place of the first cell's payload length, rowid and record header.
    @Test(
        "Absurd lengths and types",
        arguments: [
            [255, 255, 255, 255, 255, 255, 255, 255, 255],
            [0x8F, 0xFF, 0xFF, 0xFF, 0x7F, 1],
            [200, 1, 1, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
            [30, 200, 4, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [30, 200, 4, 0, 10, 11],
            [30, 200, 4, 0, 0x8F, 0xFF, 0xFF, 0xFF, 0x7C, 1], [0, 1], [1, 1, 0], [1, 1, 200], [30, 200, 1, 1],
        ] as [[UInt8]])
    func varints(_ bytes: [UInt8]) throws {
        let rows = try salvage.fill(rows: 500)
        let leaf = try #require(forge.pages(ofKind: 13).first { try !forge.markers([250], on: $0).isEmpty })
        try forge.change(leaf) { page in
            // The last cell on the page, so that no other is affected.
            let at = cell(0, page)
            page.replaceSubrange(at..<(at + bytes.count), with: bytes)
        }
        let report = try salvage.salvage()
        let back = try salvage.rows()
        let common = back.filter { rows[$0.key] == $0.value }
        #expect(common.count == 499)
        let table = try report.table("item")
        #expect(
            table.malformedRows + table.rowsWithBrokenOverflow + table.refusedRows
                + table.duplicateRows == 1, "\(report)")
    }

    @Test("A row with a type that SQLite reserves is omitted", arguments: [10, 11] as [UInt8])
    func reservedType(_ type: UInt8) throws {
        let rows = try salvage.fill(rows: 100)
        let leaf = try #require(forge.pages(ofKind: 13).first { try !forge.markers([50], on: $0).isEmpty })
        try forge.change(leaf) { page in
            let at = try #require(
                (0..<20).map { cell($0, page) }.first { page[$0 + 2] == 50 })
            // Two bytes of length, the rowid, the header's length, NULL for the key, two bytes for the text.
            #expect(page[at + 3] == 5 && page[at + 4] == 0 && (1...2).contains(page[at + 7]))
            page[at + 7] = type
        }
        let report = try salvage.salvage()
        #expect(try salvage.rows() == rows.filter { $0.key != 50 })
        #expect(try report.table("item").malformedRows == 1, "\(report)")
    }

    @Test("A row under another row's key is omitted, and counted")
    func duplicate() throws {
        let rows = try salvage.fill(rows: 100)
        let leaf = try #require(forge.pages(ofKind: 13).first { try !forge.markers([50], on: $0).isEmpty })
        let own = try forge.markers(Array(1...100), on: leaf).sorted()
        try forge.change(leaf) { page in
            // The rowid comes after two bytes of length.
            #expect(page[cell(1, page) + 2] == UInt8(own[1]))
            page[cell(1, page) + 2] = UInt8(own[0])
        }
        let report = try salvage.salvage()
        #expect(try salvage.rows() == rows.filter { $0.key != own[1] })
        #expect(try report.table("item").duplicateRows == 1)
    }

    @Test("A unique index over rows that are not unique is reported")
    func uniqueIndex() throws {
        do {
            let connection = try salvage.scratch.create()
            try connection.execute("CREATE TABLE t (a TEXT, b TEXT UNIQUE, c TEXT CHECK (c <> 'no'))")
            try connection.execute("CREATE UNIQUE INDEX one ON t (a)")
            try connection.execute("INSERT INTO t VALUES ('aa', 'ba', 'c'), ('ab', 'bb', 'c')")
            try connection.execute("INSERT INTO t VALUES ('ac', 'bc', 'xo')")
        }
        let root = try salvage.root(of: "t")
        try forge.change(root) { page in
            for (old, new) in [("aabac", "abbac"), ("bcxo", "bbno"), ("abbbc", "abbbc")] {
                let at = page.indices.first { page[$0...].starts(with: old.utf8) }
                if let at { page.replaceSubrange(at..<(at + old.utf8.count), with: new.utf8) }
            }
        }
        let report = try salvage.salvage()
        let table = try report.table("t")
        #expect(table.rows == 2 && table.refusedRows == 1)
        #expect(report.failures.map(\.object) == ["index one"], "\(report)")
        #expect(!report.description.contains("bb"), "values are nobody's business")
    }

    @Test(
        "Freelists that are circular, contain pages in use, or are endless",
        arguments: [0, 1, 2, 3])
    func freeList(_ form: Int) throws {
        var rows = try salvage.fill(rows: 1000)
        try salvage.scratch.open().execute("DELETE FROM item WHERE id > 500")
        rows = rows.filter { $0.key <= 500 }
        let trunk = PageForge.word(try forge.plain(1), at: 32)
        #expect(trunk > 1)
        let root = try salvage.root(of: "item")
        switch form {
        case 0: try forge.change(trunk) { PageForge.put(trunk, at: 0, into: &$0) }
        case 1: try forge.change(trunk) { PageForge.put(root, at: 8, into: &$0) }
        case 2: try forge.change(trunk) { PageForge.put(0x7FFF_FFFF, at: 4, into: &$0) }
        default: try forge.damage(trunk)
        }
        let report = try salvage.salvage()
        #expect(try salvage.rows() == rows)
        #expect(report.isFreeListUnreadable == (form != 1), "\(report)")
        #expect(try report.table("item").isComplete)
    }

    @Test("Invalid definitions, and one that would run for ever")
    func definitions() throws {
        let room = String(repeating: "-", count: 150)
        do {
            let connection = try salvage.scratch.create()
            try connection.execute("CREATE TABLE good (x TEXT)")
            try connection.execute("INSERT INTO good VALUES ('kept')")
            try connection.execute("CREATE TABLE evil (x TEXT /*\(verbatim: room)*/)")
        }
        let sql = Array("CREATE TABLE evil (x TEXT /*\(room)*/)".utf8)
        let page = try forge.plain(1)
        let start = try #require(page.indices.first { page[$0...].starts(with: sql) })
        let long = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT n FROM r"
        for evil in ["CREATE TABLE evil AS \(long)", "DROP TABLE good", "ATTACH 'x' AS evil"] {
            let padded = evil + String(repeating: " ", count: sql.count - evil.utf8.count)
            try forge.change(1) { page in
                page.replaceSubrange(start..<(start + sql.count), with: padded.utf8)
            }
            let report = try salvage.salvage()
            #expect(report.isSchemaIncomplete && report.tables.map(\.name) == ["good"])
            #expect(try salvage.openNew().value("SELECT x FROM good") == "kept")
            AtomicFile.remove(salvage.target)
        }
    }

    @Test("Bytes changed at random under the right key", arguments: 0..<40)
    func fuzz(_ seed: Int) throws {
        do {
            let connection = try salvage.scratch.create()
            for sql in [
                "CREATE TABLE item (id INTEGER PRIMARY KEY, body TEXT NOT NULL, number INTEGER)",
                "CREATE TABLE pair (a TEXT, b INTEGER, PRIMARY KEY (a, b)) WITHOUT ROWID",
                "CREATE INDEX by_number ON item (number)", "CREATE VIRTUAL TABLE words USING fts5(t)",
            ] { try connection.execute(SQL(verbatim: sql)) }
            try salvage.add(1...150, to: connection)
            try salvage.add(200...201, length: 9000, to: connection)
            try connection.execute("INSERT INTO pair SELECT substr(body, 1, 90), id FROM item")
            try connection.execute("INSERT INTO words SELECT substr(body, 1, 30) FROM item")
            try connection.execute("DELETE FROM item WHERE id BETWEEN 30 AND 90")
        }
        var random = SplitMix64(state: UInt64(seed))
        let pages = try forge.pages
        for _ in 0..<(1 + seed % 4) {
            // Page 1 occasionally: it has the schema.
            let number = random.next(6) == 0 ? 1 : 1 + random.next(pages)
            try forge.change(number) { page in
                for _ in 0..<(1 + random.next(6)) {
                    // Headers, arrays and numbers are at the beginning of a page and of its cells.
                    let limit = random.next(2) == 0 ? 60 : page.count
                    let at = (number == 1 ? 100 : 0) + random.next(limit)
                    if at < page.count { page[at] = UInt8(random.next(256)) }
                }
            }
        }
        do {
            let report = try salvage.salvage()
            let count = try? salvage.openNew().value("SELECT count(*) FROM item", as: Int.self)
            let reported = report.tables.first { $0.name == "item" }?.rows
            if let count, let reported { #expect(count == reported) }
        } catch let error as LockstepError {
            #expect(error.code == .damaged, "\(error)")
            #expect(try salvage.scratch.names == ["data.db"])
        }
    }
}

extension SplitMix64 {
    fileprivate mutating func next(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}
