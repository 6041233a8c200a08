import Lockstep
import LockstepModels
import SystemPackage
import TestSupport
import Testing

@Suite("The notes tutorial")
struct NotesTutorialTests {
    @Test("From an empty folder to an encrypted, searchable store")
    func runs() throws {
        let scratch = try TemporaryFolder()
        let folder = scratch.path
        // sample: NotesTutorial.md
        // A key file, kept away from the data, and a keyring that it opens.
        let keyFile = folder.appending("my.key")
        let keyringFile = KeyringFile(folder.appending("notes.database.keyring"))
        if !keyringFile.exists {
            try KeyFile.create(keyFile)
            var keyring = try Keyring.create(.database)
            try keyring.addSlot("my-key-file", KeyFile.read(keyFile))
            try keyringFile.create(keyring)
        }
        let keyring = try keyringFile.open { _ in try KeyFile.read(keyFile) }

        // The database is made at the first run, and migrated at every later one.
        let path = folder.appending("notes.db")
        let notes = try NoteStore.open(path, key: keyring.databaseKey(for: path))

        try notes.create("Shopping\nbread, butter, and a jar of honey")
        try notes.create("Grüße aus Köln\nThe cathedral is taller than I thought.")

        // The list reads titles only; the body is read on request.
        for note in try notes.list() { print(note.id, note.title) }

        for match in try notes.search("koln cathedral", marks: ("[", "]")) {
            print(match.excerpt)
            let text = try notes.body(of: match.id) ?? ""
            try notes.update(match.id, text + "\nTo be continued.")
        }
        // end
        #expect(try notes.list().map(\.id) == [2, 1])
        #expect(try notes.body(of: 2)?.hasSuffix("To be continued.") == true)
    }
}
