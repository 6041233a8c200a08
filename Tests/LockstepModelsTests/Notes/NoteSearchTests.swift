import Lockstep
import TestSupport
import Testing

@testable import LockstepModels

@Suite("Search in notes")
struct NoteSearchTests {
    let scratch: ModelScratch
    let notes: NoteStore

    init() throws {
        scratch = try ModelScratch()
        notes = try scratch.open()
    }

    @Test("Notes are found by all of their words, whatever their case and accents")
    func words() throws {
        try notes.create("Grüße aus Köln am Rhein")
        try notes.create("Köln ist auch in Minnesota")
        try notes.create("nothing of the kind")
        func ids(_ words: String, begun: Bool = false) throws -> Set<Int64> {
            Set(try notes.search(words, isLastBegun: begun).map(\.id))
        }
        #expect(try ids("köln") == [1, 2])
        #expect(try ids("KOLN rhein") == [1])
        #expect(try ids("Rhein  Köln") == [1])
        #expect(try ids("köln !!! rhein") == [1])
        #expect(try ids("köln\0rhein") == [1])
        #expect(try ids("Rhe").isEmpty)
        #expect(try ids("Rhe", begun: true) == [1])
        #expect(try ids("kö", begun: true) == [1, 2])
        #expect(try ids("kö rhein", begun: true).isEmpty)
        #expect(try notes.search("köln", limit: 1).count == 1)
        #expect(try notes.search("köln", limit: 0).isEmpty)
    }

    @Test("The best match comes first, with an excerpt around the match")
    func excerpts() throws {
        try notes.create(String(repeating: "filler words ", count: 50) + "needle in here")
        try notes.create("needle needle")
        let found = try notes.search("needle", marks: ("<", ">"))
        #expect(found.map(\.id) == [2, 1])
        #expect(found[0].excerpt == "<needle> <needle>")
        #expect(found[1].excerpt.contains("words <needle> in here"))
        #expect(found[1].excerpt.hasPrefix("…"))
        #expect(try notes.search("needle").first?.excerpt == "needle needle")
        #expect(found[1].note.title.hasPrefix("filler"))
    }

    @Test(
        "Typed text is searched for, and never interpreted",
        arguments: [
            "\"", "\"\"", "a\"b", "needle\"", "\" OR needle", "title:needle", "needle*", "*",
            "^needle",
            "NEAR(needle x)", "-needle", "needle OR nothing", "needle AND needle", "NOT needle",
            "(", ")",
            "{title}", "+", ":", "'", ";--", "\\", "", " ", "\0", "\u{301}", "…",
        ] + AwkwardTexts.notEmpty)
    func syntax(words: String) throws {
        try notes.create("needle")
        try notes.create(words)
        for isLastBegun in [false, true] {
            // Nothing throws, and a query with words finds at least the note with that text.
            let found = try notes.search(words, isLastBegun: isLastBegun)
            if NoteQuery(words, isLastBegun: false) != nil, !words.isEmpty {
                #expect(found.contains { $0.id == 2 })
            } else {
                #expect(found.isEmpty)
            }
        }
        #expect(try notes.search("needle OR nothing").contains { $0.id == 1 } == false)
    }

    @Test("Changed and deleted notes are found in their current state, and the index is consistent")
    func current() throws {
        let id = try #require(try notes.create("alpha"))
        try notes.update(id, "beta")
        #expect(try notes.search("alpha").isEmpty)
        #expect(try notes.search("beta").map(\.id) == [id])
        try notes.delete(id)
        #expect(try notes.search("beta").isEmpty)
        try notes.checkSearch()
    }

    @Test("An index that does not match the notes is reported, and can be rebuilt") func damagedIndex() throws {
        try notes.create("alpha")
        try notes.store.blocking.write { connection in
            try connection.execute("INSERT INTO records_search (rowid, title, txt) VALUES (99, 'ghost', 'ghost')")
        }
        let error = #expect(throws: LockstepError.self) { try notes.checkSearch() }
        #expect(error?.code == .damaged)
        #expect(error?.hint?.contains("rebuildSearch") == true)
        try notes.rebuildSearch()
        try notes.checkSearch()
        #expect(try notes.search("alpha").map(\.id) == [1])
    }

    @Test("Neither words nor titles are in the file in plaintext")
    func encrypted() throws {
        try notes.create("Donaudampfschifffahrtsgesellschaft")
        try notes.store.blocking.close()
        let file = try Bytes.read(scratch.path)
        for word in ["Donaudampf", "donaudampf", "SQLite format"] {
            #expect(!Bytes.contain(file, word))
        }
    }
}
