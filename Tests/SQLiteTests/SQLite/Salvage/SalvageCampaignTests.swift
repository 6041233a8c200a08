import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Damaged pages of a database with many tables: what a salvage does with each row that is still there.
@Suite(
    "Campaign: damaged pages",
    .enabled(if: SharedData.has("data/chinook.sqlite"), Comment(rawValue: SharedData.missing)))
struct SalvageCampaignTests {
    private static let campaign = Campaign("SalvageCampaignTests")

    private let scratch: DatabaseScratch
    private let content: TablePages
    private let bytes: [UInt8]
    private let definitions: [String]
    private let schemaPages: [Int]

    init() throws {
        scratch = try DatabaseScratch()
        try Adoption(of: SharedData.path("data/chinook.sqlite"), into: scratch.path)
            .run(key: scratch.key())
        do {
            let connection = try scratch.open()
            try connection.execute(
                """
                CREATE TABLE Chosen (
                    Name TEXT NOT NULL, TrackId INTEGER NOT NULL, PRIMARY KEY (TrackId, Name)
                ) WITHOUT ROWID
                """)
            try connection.execute("INSERT INTO Chosen SELECT Name, TrackId FROM Track")
            definitions = try connection.query(
                "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid"
            ) { try $0[0] as String }
        }
        content = try TablePages(scratch.path, scratch.key())
        bytes = try scratch.bytes
        schemaPages = content.schemaPages.map(Int.init)
    }

    /// Rows that a salvage of the database with these damaged pages puts into another table or drops.
    private func faults(
        _ pages: Set<Int>, schema: [String] = [], _ random: inout SplitMix64
    ) throws -> [String] {
        var bytes = bytes
        for page in pages {
            let start = (page - 1) * 4096
            if Bool.random(using: &random) {
                bytes.replaceSubrange(
                    start..<(start + 4096), with: repeatElement(0, count: 4096))
            } else {
                let at = start + Int.random(in: 16..<4096, using: &random)
                bytes[at] ^= UInt8.random(in: 1...255, using: &random)
            }
        }
        let damaged = scratch.folder.file("damaged.db")
        let target = scratch.folder.file("salvaged.db")
        try Bytes.write(bytes, to: damaged)
        DatabaseScratch.remove(target)
        _ = try Salvage(damaged, into: target, schema: schema).run(key: scratch.key(), newKey: scratch.key())
        return try content.faults(of: TablePages(target, scratch.key()), without: Set(pages.map(UInt32.init)))
    }

    @Test("No row comes into another table, and none is dropped")
    func placed() throws {
        guard let part = Self.campaign.begin() else { return }
        defer { part.end() }
        var random = SplitMix64(state: Torture.campaignSeed)
        #expect(schemaPages.count > 2)
        let pages = bytes.count / 4096
        var sets = (1...pages).map { Set([$0]) }
        for _ in 0..<2000 {
            sets.append([Int.random(in: 1...pages, using: &random), Int.random(in: 1...pages, using: &random)])
        }
        for one in schemaPages { sets += schemaPages.filter { $0 > one }.map { [one, $0] } }
        if !Torture.isLong {
            sets = [sets[sets.count - 1], [1], [schemaPages[1], pages / 2]]
        }
        for (number, set) in sets.enumerated() where part.goesOn() {
            // Half of them with the schema from elsewhere.
            let hitsSchema = !set.isDisjoint(with: schemaPages)
            let isSupplied = hitsSchema && number.isMultiple(of: 2)
            let faults = try faults(set, schema: isSupplied ? definitions : [], &random)
            #expect(
                faults.isEmpty,
                "pages \(set.sorted()), schema \(isSupplied): \(faults.prefix(5))")
            if hitsSchema { part.count("with a damaged schema") }
        }
    }

    @Test("The campaign sees a row in another table, and one that is gone")
    func control() throws {
        var random = SplitMix64(state: 1)
        #expect(try faults([], &random) == [])
        let target = scratch.folder.file("salvaged.db")
        do {
            let connection = try Connection.open(target, key: scratch.key())
            try connection.execute("PRAGMA foreign_keys = OFF")
            try connection.execute("INSERT INTO Genre SELECT ArtistId, Name FROM Artist WHERE ArtistId = 200")
            try connection.execute("DELETE FROM Customer WHERE CustomerId = 7")
        }
        let faults = try content.faults(of: TablePages(target, scratch.key()), without: [])
        #expect(faults.count == 2, "\(faults)")
    }
}

/// The rows of a database, each with the pages that it is on, as a plain scan of its trees finds them.
private struct TablePages {
    private var rows: [String: [String: Set<UInt32>]] = [:]
    private var lost: Set<String> = []
    private(set) var schemaPages: [UInt32] = []

    init(_ path: FilePath, _ key: borrowing DatabaseKey) throws {
        let connection = try Connection.open(path, key: key)
        let roots = try connection.query(
            "SELECT name, rootpage FROM sqlite_schema WHERE type = 'table' AND rootpage > 0"
        ) { (try $0[0] as String, try $0[1] as Int) }
        let salt = try DatabaseFile(path).read(at: 0, DatabaseKey.saltLength)
        let source = try PageSource(path, key: key.secret.clone(), salt: salt)
        var claimed: Set<UInt32> = []
        let schema = try TreeWalk(root: 1, isTable: true, source, claimed: &claimed)
        schemaPages = ([1] + schema.rowPages.filter { $0 != 1 }).sorted()
        for (name, root) in roots {
            let page = try #require(try source.page(UInt32(root)))
            let isTable = try #require(BTreePage(page)).kind.isTable
            let tree = try TreeWalk(
                root: UInt32(root), isTable: isTable, source, claimed: &claimed)
            #expect(tree.unreadable.isEmpty)
            for page in tree.rowPages { try read(page, of: name, source) }
            if !name.hasPrefix("lost_and_found") {
                let count: Int? = try connection.value("SELECT count(*) FROM \(name: name)")
                #expect(rows[name, default: [:]].count == count)
            }
        }
    }

    private mutating func read(_ number: UInt32, of table: String, _ source: PageSource) throws {
        let page = try #require(try source.page(number))
        for cell in try #require(BTreePage(page)).cells.compactMap(\.self) {
            var pages: Set<UInt32> = [number]
            let payload = try Payloads.payload(of: cell, on: page, source, claimed: &pages)
            guard case .whole(let bytes) = payload, let values = StoredRecord.values(bytes) else {
                Issue.record("\(table) has a row that cannot be read")
                continue
            }
            guard table.hasPrefix("lost_and_found") else {
                rows[table, default: [:]][Self.text(cell.rowID, values[...])] = pages
                continue
            }
            var rowID: Int64?
            if case .integer(let number) = values[3] { rowID = number }
            lost.insert(Self.text(rowID, values[4...]))
        }
    }

    private static func text(_ rowID: Int64?, _ values: ArraySlice<StoredValue>) -> String {
        // The table of lost rows has as many columns as the widest of them needs.
        let used = values.lastIndex { $0 != .null }.map { values[...$0] } ?? []
        let texts = used.map { value in
            switch value {
            case .null: "-"
            case .integer(let number): "\(number)"
            case .real(let number): "\(number) real"
            case .text(let bytes): String(decoding: bytes, as: UTF8.self)
            case .blob(let bytes): "\(bytes)"
            }
        }
        return "\(rowID ?? 0)|" + texts.joined(separator: "|")
    }

    /// What is wrong with a salvage of these rows without the damaged pages. The engine's tables say that it is a copy.
    func faults(of salvaged: TablePages, without damaged: Set<UInt32>) -> [String] {
        var faults: [String] = []
        for (table, found) in salvaged.rows where !table.hasPrefix(EngineTables.prefix) {
            faults += found.keys.filter { rows[table]?[$0] == nil }.map { "\(table) got \($0)" }
        }
        for (table, all) in rows where !table.hasPrefix(EngineTables.prefix) {
            faults += all.filter { row, pages in
                pages.isDisjoint(with: damaged) && salvaged.rows[table]?[row] == nil && !salvaged.lost.contains(row)
            }.map { "\(table) lost \($0.key)" }
        }
        return faults
    }
}
