import Lockstep
import LockstepModels
import SystemPackage
import TestSupport
import Testing

@Suite("The notes tutorial")
struct NotesTutorialTests {
    @Test("From an empty folder to an encrypted, searchable store")
    func runs() async throws {
        let scratch = try TemporaryFolder()
        let folder = scratch.path
        // sample: NotesTutorial.md
        // The first run makes the key file, the keyring and the database; every later one migrates what is pending.
        let notes = try await NoteStore.open(folder.appending("notes.db"), key: .keyFile(folder.appending("my.key")))

        try await notes.create("Shopping\nbread, butter, and a jar of honey")
        try await notes.create("Grüße aus Köln\nThe cathedral is taller than I thought.")

        // The list reads titles only; the body is read on request.
        for note in try await notes.list() { print(note.id, note.title) }

        for match in try await notes.search("koln cathedral", marks: ("[", "]")) {
            print(match.excerpt)
            let text = try await notes.body(of: match.id) ?? ""
            try await notes.update(match.id, text + "\nTo be continued.")
        }
        // end
        #expect(try await notes.list().map(\.id) == [2, 1])
        #expect(try await notes.body(of: 2)?.hasSuffix("To be continued.") == true)
    }
}
