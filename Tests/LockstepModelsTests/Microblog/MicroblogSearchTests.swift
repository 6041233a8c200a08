import Lockstep
import LockstepModels
import TestSupport
import Testing

@Suite("Words in the microblog")
struct MicroblogSearchTests {
    private func blog(_ texts: [String]) throws -> MicroblogStore {
        let blog = try MicroblogStore.inMemory()
        let users = try ["Ann", "Bob", "Cy"].map { try blog.add(User(name: $0)) }
        try blog.add(
            texts.enumerated().map { index, text in
                Status(createdAt: Int64(index), text: text, userID: users[index % 2])
            })
        return blog
    }

    @Test("A word is found in any case, without its accents, and only as a whole")
    func words() throws {
        let blog = try blog(["Grüße aus Köln", "from köln to bonn", "kölner", "nothing", ""])
        #expect(try blog.search("KÖLN").map(\.status.id) == [2, 1])
        #expect(try blog.search("koln").map(\.status.id) == [2, 1])
        #expect(try blog.search("köl").isEmpty)
        #expect(try blog.search("from köln").map(\.status.id) == [2])
        #expect(try blog.search("köln from").isEmpty)
        #expect(try blog.search("köln", 1).map(\.status.id) == [2])
        #expect(try blog.users(whoWrote: "köln").map(\.name) == ["Ann", "Bob"])
        #expect(try blog.users(whoWrote: "kölner").map(\.name) == ["Ann"])
        #expect(try blog.users(whoWrote: "berlin").isEmpty)
    }

    @Test(
        "Typed text is never an operator, and never an error",
        arguments: [
            "", " ", "\0", "\"", "\"\"", "a\"b", "*", "a*", "a OR b", "NOT a", "a AND b",
            "NEAR(a b)", "text:a", "^a",
            "-a", "(a", "a)", "{a b}:c", "'", "'; DROP TABLE Status;--", "a + b", "\0a", "a\0b",
            "👩‍👩‍👧", "\u{301}",
            "\u{202E}", "\\", "%", "_",
        ])
    func hostile(word: String) throws {
        let blog = try blog(["nothing of that", "b a"])
        _ = try blog.users(whoWrote: word)
        let found = try blog.search(word).map(\.status.text)
        // Punctuation separates words; the remaining words must be adjacent.
        let isOneWord = ["a*", "^a", "-a", "(a", "a)", "\0a"].contains(word)
        #expect(found == (isOneWord ? ["b a"] : []), "\(found)")
        #expect(try blog.count() == 2)
    }

    @Test("Every awkward text that contains a word is found by itself")
    func itself() throws {
        for text in AwkwardTexts.all where text.contains(where: { $0.isLetter }) {
            let blog = try blog([text])
            #expect(try blog.search(text).count == 1, "\(text.debugDescription)")
        }
    }

    @Test("A word in 10 MB is found, and a query of twenty thousand words does not fail") func long() throws {
        let blog = try blog([AwkwardTexts.long])
        #expect(try blog.search("megabytes").count == 1)
        _ = try blog.search(String(repeating: "word ", count: 20_000))
    }

    @Test("The index follows inserts, changes and deletions")
    func current() throws {
        let blog = try blog(["one", "two"])
        try blog.update(Status(id: 1, text: "three", userID: 1))
        try blog.removeUser(2)
        #expect(try blog.search("one").isEmpty && blog.search("two").isEmpty)
        #expect(try blog.search("three").count == 1)
        try blog.store.blocking.write { connection in
            try connection.execute("INSERT INTO Status_search (Status_search) VALUES ('integrity-check')")
        }
    }
}
