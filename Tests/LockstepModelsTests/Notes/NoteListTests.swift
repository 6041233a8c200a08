import Lockstep
import TestSupport
import Testing

@testable import LockstepModels

@Suite("Lists of notes")
struct NoteListTests {
    let scratch: ModelScratch
    let notes: NoteStore

    init() throws {
        scratch = try ModelScratch()
        notes = try scratch.open()
    }

    private func fill(_ rows: Int, dated: (Int) -> Int64?) throws {
        try notes.store.blocking.write { connection in
            let insert = try connection.prepare(
                "INSERT INTO records (id, title, createdAt, changedAt, txt) VALUES (?, ?, ?, ?, ?)")
            for id in 1...rows {
                let date = dated(id)
                try insert.run(id, "title \(id)", date, date, String(repeating: "text ", count: 40))
            }
        }
    }

    private func pages(of size: Int) throws -> [Int64] {
        var ids: [Int64] = []
        var last: NoteTitle?
        while true {
            let page = try notes.list(limit: size, after: last)
            #expect(page.count <= size)
            guard let end = page.last else { return ids }
            ids += page.map(\.id)
            last = end
        }
    }

    @Test("The newest change comes first, equal dates by key, and those without a date last") func order() throws {
        try fill(100) { $0.isMultiple(of: 3) ? nil : Int64($0 / 10) }
        let expected = (1...100).map { ($0, $0.isMultiple(of: 3) ? nil : $0 / 10) }
            .sorted { ($0.1 ?? -1, $0.0) > ($1.1 ?? -1, $1.0) }.map { Int64($0.0) }
        #expect(try notes.list(limit: 1000).map(\.id) == expected)
        for size in [1, 7, 33, 66, 67, 68, 100, 101] { #expect(try pages(of: size) == expected) }
        #expect(try notes.list(limit: 0).isEmpty)
        #expect(try notes.list(limit: -1).isEmpty)
    }

    @Test("A page begins after the last note of the previous one, even if that note was deleted")
    func deletedCursor() throws {
        try fill(10) { Int64($0) }
        let first = try notes.list(limit: 3)
        let last = try #require(first.last)
        #expect(try notes.delete(last.id))
        #expect(try notes.list(limit: 3, after: last).map(\.id) == [7, 6, 5])
    }

    @Test("No list reads a page with a text: all use one index, in its order")
    func coveringIndex() throws {
        try notes.store.blocking.read { connection in
            for query in [
                NoteSQL.firstPage(100), NoteSQL.page(100, afterDate: 5, 5),
                NoteSQL.datelessPage(100, below: nil), NoteSQL.datelessPage(100, below: 7),
            ] {
                let plan = try connection.query("EXPLAIN QUERY PLAN \(query)") { row in
                    try row[3] as String
                }
                #expect(plan.count == 1, "\(plan)")
                #expect(plan[0].contains("USING COVERING INDEX records_titles"), "\(plan)")
            }
        }
    }

    @Test("Ten thousand titles are listed from a file in which every page with a text is damaged")
    func damagedTexts() throws {
        try fill(10_000) { Int64($0) }
        try notes.store.blocking.close()
        let text = Array(String(repeating: "text ", count: 20).utf8)
        let pages = try DecryptedPages(scratch.path, scratch.keyring.activeDatabaseKey())
        let damaged = pages.numbers(holding: text)
        #expect(damaged.count > 500)
        var file = try Bytes.read(scratch.path)
        for page in damaged { file[page * 4096 + 100] ^= 1 }
        try Bytes.write(file, to: scratch.path)
        let hurt = try scratch.open(NoteStore.self)
        #expect(try hurt.list(limit: 20_000).map(\.id) == (1...10_000).reversed())
        let error = #expect(throws: LockstepError.self) { try hurt.body(of: 5000) }
        #expect(error?.code == .damaged)
    }
}
