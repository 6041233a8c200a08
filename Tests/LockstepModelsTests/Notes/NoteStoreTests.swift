import Lockstep
import SystemPackage
import TestSupport
import Testing

@testable import LockstepModels

@Suite("Notes")
struct NoteStoreTests {
    let scratch: ModelScratch
    let notes: NoteStore

    init() throws {
        scratch = try ModelScratch()
        notes = try scratch.open()
    }

    @Test("A note is read back as it was written, with the first 50 characters as its title") func roundTrip() throws {
        for text in AwkwardTexts.notEmpty {
            let id = try #require(try notes.create(text))
            let note = try #require(try notes.note(id))
            #expect(Array(note.text.utf8) == Array(text.utf8))
            #expect(Array(note.title.utf8) == Array(text.prefix(50).utf8))
            #expect(try notes.body(of: id).map { Array($0.utf8) } == Array(text.utf8))
            #expect(note.createdAt == note.changedAt && note.createdAt != nil)
            #expect(try notes.update(id, text + text))
            #expect(try notes.body(of: id).map { Array($0.utf8) } == Array((text + text).utf8))
        }
        #expect(try notes.count() == AwkwardTexts.notEmpty.count)
        try notes.checkSearch()
    }

    @Test("Titles are cut between characters, not between bytes or code points")
    func titles() throws {
        let family = "👨‍👩‍👧‍👦"
        let decomposed = "e\u{301}"
        for (text, title) in [
            (String(repeating: family, count: 51), String(repeating: family, count: 50)),
            (String(repeating: decomposed, count: 60), String(repeating: decomposed, count: 50)),
            (String(repeating: "x", count: 50), String(repeating: "x", count: 50)),
            ("a\r\n" + String(repeating: "y", count: 60), "a\r\n" + String(repeating: "y", count: 48)),
        ] {
            let id = try #require(try notes.create(text))
            #expect(try notes.note(id)?.title == title)
        }
    }

    @Test("Ten megabytes can be a note, and even a title if they are one character")
    func long() throws {
        let id = try #require(try notes.create(AwkwardTexts.long))
        #expect(try notes.body(of: id) == AwkwardTexts.long)
        // One letter with five million accents.
        let letter = "a" + String(repeating: "\u{301}", count: 5_000_000)
        let other = try #require(try notes.create(letter))
        #expect(try notes.list().first?.title.utf8.elementsEqual(letter.utf8) == true)
        #expect(try notes.delete(other))
        #expect(try notes.list().map(\.id) == [id])
    }

    @Test("Without text nothing is inserted, and no note loses its existing text")
    func empty() throws {
        #expect(try notes.create("") == nil)
        #expect(try notes.count() == 0)
        let id = try #require(try notes.create(" "))
        #expect {
            try notes.update(id, "")
        } throws: { error in
            (error as? LockstepError)?.code == .misuse
        }
        #expect(try notes.body(of: id) == " ")
    }

    @Test("A missing note is neither read, changed nor deleted")
    func missing() throws {
        #expect(try notes.body(of: 1) == nil)
        #expect(try notes.note(.min) == nil)
        #expect(try !notes.update(1, "x"))
        #expect(try !notes.delete(.max))
        #expect(try notes.list().isEmpty)
        let id = try #require(try notes.create("x"))
        #expect(try notes.delete(id))
        #expect(try !notes.delete(id))
    }

    @Test("Tasks have the same calls, which do not block")
    func asynchronous() async throws {
        #expect(try await notes.create("") == nil)
        let id = try #require(try await notes.create("Grüße aus Köln"))
        #expect(try await notes.update(id, "Grüße aus Bonn"))
        await #expect(throws: LockstepError.self) { try await notes.update(id, "") }
        #expect(try await notes.body(of: id) == "Grüße aus Bonn")
        #expect(try await notes.note(id)?.title == "Grüße aus Bonn")
        #expect(try await notes.list().map(\.id) == [id])
        #expect(try await notes.search("bonn").map(\.id) == [id])
        try await notes.checkSearch()
        try await notes.rebuildSearch()
        #expect(try await notes.count() == 1)
        #expect(try await notes.delete(id))
        #expect(try await notes.count() == 0)
    }

    @Test("A clock that stands still or goes back gives odd dates, but no errors")
    func clock() throws {
        let still = NoteStore(notes.store) { -7 }
        let ids = try (0..<3).compactMap { try still.create("note \($0)") }
        #expect(try still.list().map(\.id) == ids.reversed())
        #expect(try still.note(ids[0])?.createdAt == -7)
    }

    @Test("An unmigrated database is reported")
    func unmigrated() throws {
        let bare = NoteStore(try Store.inMemory())
        for call in [
            { _ = try bare.create("x") }, { _ = try bare.list() }, { _ = try bare.body(of: 1) },
            { _ = try bare.search("x") }, { _ = try bare.count() }, { _ = try bare.delete(1) },
        ] as [() throws -> Void] {
            let error = #expect(throws: LockstepError.self) { try call() }
            #expect(error?.hint?.contains("run `Migrator`") == true)
        }
    }

    @Test("No error contains the text of a note")
    func silent() throws {
        let error = #expect(throws: LockstepError.self) {
            try notes.store.blocking.write { connection in
                try connection.execute("INSERT INTO records (title, txt) VALUES ('secret', NULL)")
            }
        }
        #expect(error.map { "\($0)".contains("secret") } == false)
    }
}
