import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Databases that were copied while much of their content was only in the write-ahead log.
@Suite("Salvage: write-ahead logs")
struct SalvageLogTests {
    private let salvage: SalvageScratch
    /// The table's content in the main file, and its true content.
    private let (old, new): ([Int: String], [Int: String])

    init() throws {
        let source = try SalvageScratch()
        old = try source.fill(rows: 300)
        var new = old
        salvage = try SalvageScratch()
        let connection = try source.scratch.open()
        try connection.execute("PRAGMA wal_autocheckpoint = 0")
        new.merge(try source.add(301...600, to: connection)) { $1 }
        try connection.write { connection in
            for id in 100...140 {
                let text = SalvageScratch.text(id + 900, length: 200)
                new[id] = text
                try connection.execute("UPDATE item SET body = ? WHERE id = ?", text, id)
            }
        }
        new.merge(try source.add(601...650, to: connection)) { $1 }
        self.new = new
        try source.scratch.copy(to: salvage.scratch.path)
    }

    private func log() throws -> LogFile {
        try LogFile(bytes: Bytes.read(salvage.scratch.side("-wal")))
    }

    private func plain(_ frame: Int, of log: LogFile) throws -> [UInt8] {
        let start = log.start(of: frame)
        return try salvage.forge.open(Array(log.bytes[start..<(start + 4096)]), as: log.page(of: frame))
    }

    /// The last frame with this marker on a leaf of the table, and its page.
    private func frame(with marker: Int) throws -> (frame: Int, page: Int, markers: Set<Int>) {
        let log = try log()
        for frame in (0..<log.frames).reversed() {
            let page = try plain(frame, of: log)
            let markers = PageForge.markers(Array(1...1100), in: page)
            if page[0] == 13, markers.contains(marker) {
                return (frame, log.page(of: frame), markers)
            }
        }
        throw LockstepError(.notFound, "no frame has the marker")
    }

    /// The row that a marker is in.
    private func row(_ marker: Int) -> Int { marker > 900 ? marker - 900 : marker }

    @Test("Rows that are only in the log are recovered, and the report is complete")
    func whole() throws {
        let report = try salvage.salvage()
        #expect(try salvage.rows() == new)
        #expect(report.isComplete, "\(report)")
    }

    @Test("A damaged page of the log costs its rows, but not those of all later commits") func added() throws {
        let (frame, page, markers) = try frame(with: 400)
        let pagesInFile = try salvage.scratch.bytes.count / 4096
        #expect(page > pagesInFile && markers.count > 5)
        let start = try log().start(of: frame)
        try salvage.scratch.damage("-wal") { $0[start + 1000] ^= 1 }
        // SQLite ignores everything from there on.
        #expect(try PageAudit(salvage.scratch.path).run(key: salvage.scratch.key()).lostCommits > 0)
        let report = try salvage.salvage()
        let lost = Set(markers.map(row))
        #expect(try salvage.rows() == new.filter { !lost.contains($0.key) })
        #expect(report.unreadableFrames == 1 && report.damagedPages == [])
        #expect(!report.isComplete)
        #expect(try report.table("item").unreadablePages == 1)
    }

    @Test("If the newest version of a page is damaged, the older one is used, and reported") func updated() throws {
        let (frame, page, markers) = try frame(with: 1020)
        let start = try log().start(of: frame)
        try salvage.scratch.damage("-wal") { $0[start + 1000] ^= 1 }
        let report = try salvage.salvage()
        #expect(report.outdatedPages == [UInt32(page)])
        var expected = new
        for id in markers.map(row) { expected[id] = old[id] }
        #expect(try salvage.rows() == expected)
        let table = try report.table("item")
        #expect(table.rowsOfOlderVersions > 5 && !table.isComplete && table.rows == expected.count)
    }

    @Test("An interior page of which only an older version is readable is named, and not followed")
    func interior() throws {
        let log = try log()
        // The table was made first.
        let root = 2
        let last = try #require((0..<log.frames).last { log.page(of: $0) == root })
        #expect(try plain(last, of: log)[0] == 5 && salvage.forge.plain(root)[0] == 5)
        try salvage.scratch.damage("-wal") { $0[log.start(of: last) + 1000] ^= 1 }
        let report = try salvage.salvage()
        #expect(try salvage.rows() == new)
        let table = try report.table("item")
        #expect(table.unreadablePages == 1 && table.rowsFoundByContent == new.count)
        #expect(report.outdatedPages == [UInt32(root)] && report.lostAndFound == nil)
    }

    @Test("A frame whose header is damaged gives its rows back, and is counted")
    func header() throws {
        let (frame, _, _) = try frame(with: 400)
        let start = try log().start(of: frame)
        try salvage.scratch.damage("-wal") { $0[start - 16] ^= 1 }
        let report = try salvage.salvage()
        #expect(report.unreadableFrames == 1 && !report.isComplete)
        #expect(try salvage.rows() == new)
    }

    @Test("A damaged header of the log costs nothing", arguments: [0, 9, 16, 30])
    func logHeader(_ offset: Int) throws {
        try salvage.scratch.damage("-wal") { $0[offset] ^= 0xFF }
        let report = try salvage.salvage()
        #expect(try salvage.rows() == new)
        #expect(report.isComplete, "\(report)")
    }

    @Test("Of a log that is garbage only the main file is recovered")
    func garbage() throws {
        try salvage.scratch.damage("-wal") { bytes in
            for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: index &* 7) }
        }
        let report = try salvage.salvage()
        #expect(try salvage.rows() == old)
        #expect(report.isLogUnreadable && !report.isComplete)
    }

    @Test("The log repairs damage to the main file alone")
    func mainFile() throws {
        let root = PageForge.word(try salvage.forge.plain(1), at: 28)
        #expect(root > 2)
        let log = try log()
        let logged = Set((0..<log.frames).map { log.page(of: $0) })
        for page in logged where page * 4096 <= (try salvage.scratch.bytes.count) {
            try salvage.forge.damage(page)
        }
        let report = try salvage.salvage()
        #expect(try salvage.rows() == new)
        #expect(report.isComplete, "\(report)")
    }

    @Test("A transaction that never ended is not part of the database")
    func uncommitted() throws {
        let source = try SalvageScratch()
        let rows = try source.fill(rows: 100)
        var options = ConnectionOptions()
        options.cacheBytes = 0
        let connection = try source.scratch.open(options)
        try connection.write { connection in
            try source.add(101...3000, to: connection)
            try source.scratch.copy(to: salvage.scratch.path)
        }
        #expect(try log().frames > 10)
        let report = try salvage.salvage()
        #expect(try salvage.rows() == rows)
        #expect(report.isComplete, "\(report)")
    }

    @Test("An older version of a page that was another table's adds no rows to this one") func otherTable() throws {
        let source = try SalvageScratch()
        try source.fill(rows: 300)
        let connection = try source.scratch.open()
        try connection.execute("DROP TABLE item")
        try connection.execute("CREATE TABLE other (x REAL, y BLOB)")
        try connection.write { connection in
            for id in 1...200 {
                let text = Array(SalvageScratch.text(id, length: 200).utf8)
                try connection.execute("INSERT INTO other VALUES (?, ?)", Double(id) / 2, text)
            }
        }
        for suffix in ["", "-wal"] {
            try Bytes.write(Bytes.read(source.scratch.side(suffix)), to: salvage.scratch.side(suffix))
        }
        let (frame, page, markers) = try frame(with: 100)
        #expect(try PageForge.markers(Array(1...300), in: salvage.forge.plain(page)) != markers)
        let start = try log().start(of: frame)
        try salvage.scratch.damage("-wal") { $0[start + 1000] ^= 1 }
        let report = try salvage.salvage()
        #expect(report.outdatedPages == [UInt32(page)])
        let table = try report.table("other")
        #expect(table.rows == 200 - markers.count && table.rowsOfOlderVersions == 0)
        #expect(table.unreadablePages == 1 && !table.isComplete)
        #expect(report.lostAndFound == nil, "\(report)")
    }

    @Test("Pages after the database's end, as the log has it, are not part of it")
    func shrunk() throws {
        let source = try SalvageScratch()
        var rows = try source.fill(rows: 1000)
        let connection = try source.scratch.open()
        try connection.execute("PRAGMA secure_delete = OFF")
        try connection.execute("PRAGMA wal_autocheckpoint = 0")
        try connection.execute("DELETE FROM item WHERE id > 200")
        rows = rows.filter { $0.key <= 200 }
        try connection.vacuum()
        for suffix in ["", "-wal"] {
            try Bytes.write(Bytes.read(source.scratch.side(suffix)), to: salvage.scratch.side(suffix))
        }
        let pagesInFile = try salvage.scratch.bytes.count / 4096
        let behind = try (pagesInFile / 2...pagesInFile).contains { page in
            try !salvage.forge.markers(Array(201...1000), on: page).isEmpty
        }
        #expect(behind)
        let report = try salvage.salvage()
        #expect(try salvage.rows() == rows)
        #expect(report.isComplete && report.pages < pagesInFile, "\(report)")
    }

    @Test("The same if the page is a table's only one, and any rowid would fit") func otherTableAlone() throws {
        let source = try SalvageScratch()
        try source.fill(rows: 300)
        let connection = try source.scratch.open()
        // In one write, so that the log has no page twice.
        try connection.write { connection in
            try connection.execute("DROP TABLE item")
            for number in 0..<12 {
                try connection.execute("CREATE TABLE other\(verbatim: "\(number)") (x, y REAL, z BLOB)")
                try connection.execute("INSERT INTO other\(verbatim: "\(number)") VALUES (1, 2.5, x'00')")
            }
        }
        for suffix in ["", "-wal"] {
            try Bytes.write(Bytes.read(source.scratch.side(suffix)), to: salvage.scratch.side(suffix))
        }
        // The newest frame of a page that was a leaf of the other table.
        let log = try log()
        let frame = try #require(
            (0..<log.frames).reversed().first { frame in
                let page = log.page(of: frame)
                guard page > 1, try plain(frame, of: log)[0] == 13 else { return false }
                let before = try salvage.forge.plain(page)
                return before[0] == 13 && !PageForge.markers(Array(1...300), in: before).isEmpty
            })
        let page = UInt32(log.page(of: frame))
        try salvage.scratch.damage("-wal") { $0[log.start(of: frame) + 1000] ^= 1 }
        let report = try salvage.salvage()
        #expect(report.outdatedPages == [page])
        #expect(report.tables.map(\.rows).sorted() == [0] + [Int](repeating: 1, count: 11))
        #expect(report.tables.map(\.unreadablePages).sorted().last == 1)
        #expect(report.tables.allSatisfy { $0.malformedRows == 0 && $0.refusedRows == 0 })
    }
}
